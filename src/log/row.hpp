// The row that a sample becomes: the columns of the log and what stands in them.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "model/session.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// What all rows of one backend in one run have in common.
struct RunFacts {
    std::string experiment;
    std::string run_id;  // new_run_id()
    std::string machine; // machine_of()
    std::string schedule;
    bool untimed = false;        // under a profiler: rows have no times, and the three below were not measured
    double floor_us = 0;         // the null kernel of this run
    unsigned timer_step_ns = 0;  // of the timer in the kernels, in this run
    MeasuredBandwidth bandwidth; // of the memory, in this run
    DeviceFacts device;
};

// A time in us as a row has it, rounded to a nanosecond.
double as_logged(double us);

// One cell a column, in the order of columns().
std::vector<std::string> row_of(const RunFacts& run, const Case& point, unsigned repetition, const Sample& sample);
const std::vector<std::string>& columns();

// UTC time, process and a random number: "20261121T064012Z-4711-0badcafe", new for every call, also in two containers, where processes have
// the same few numbers. Of a shard "20261121T064012Z-4711-0badcafe-2of4".
std::string new_run_id();
std::string new_run_id(unsigned shard, unsigned of);
std::string utc_now(); // "2026-11-21T06:40:12Z"

} // namespace nestbed
