// The row for a sample: the columns of the log and their contents.
#pragma once

#include "model/axis_table.hpp"
#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "model/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace nestbed
{

// The facts that all rows of one backend in one run share.
struct RunFacts {
    std::string experiment;
    std::string run_id;  // new_run_id()
    std::string machine; // machine_of()
    std::string schedule;
    bool untimed = false;        // under a profiler: rows have no times, and the three values below were not measured
    double empty_kernel_us = 0;  // time of the empty kernel in this run
    unsigned timer_step_ns = 0;  // step of the timer in the kernels, in this run
    MeasuredBandwidth bandwidth; // memory bandwidth in this run
    DeviceFacts device;
};

// A time in us as a row contains it, rounded to a nanosecond.
double as_logged(double us);

// One cell per column, in the order of columns().
std::vector<std::string> row_of(const RunFacts& run, const Case& point, unsigned repetition, const Sample& sample);
const std::vector<std::string>& columns();
// Leaves out the columns of those parameters of users' workloads (Axis::of_user) that this process's log does not need.
void keep_columns(const std::function<bool(const Axis&)>& is_needed);

// UTC time, process number and a random number: "20261121T064012Z-4711-0badcafe". It differs for every call, even
// between two containers whose processes have the same small numbers. For a shard:
// "20261121T064012Z-4711-0badcafe-2of4".
std::string new_run_id();
std::string new_run_id(unsigned shard, unsigned of);
std::string utc_now(); // "2026-11-21T06:40:12Z"

} // namespace nestbed
