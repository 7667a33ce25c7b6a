// The timeline of a user's program: what nvcc's programs and those of the executor record of their grids, as rows and as
// a file for a trace viewer.
#pragma once

#include "model/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

struct TracedDevice {
    std::uint32_t number = 0;
    std::string name;
    std::uint64_t timer_step_ns = 0;        // 0: not measured
    std::optional<std::uint64_t> within_ns; // error of its clock against the host's, at most; empty: not known
    std::uint64_t lost = 0;                 // grids from kernels that did not fit in its memory
    std::uint64_t lost_of_host = 0;         // the same from the host
    std::uint64_t capacity = 0;             // grids from kernels that fit
};

inline constexpr const char* kExecutorDevice = "nestbed's executor";

struct LaunchTrace {
    std::vector<TracedDevice> devices; // one that was reset is there several times
    std::vector<TracedGrid> grids;     // parents before children; `parent` is an index
};

// The rows as CSV, with lines of comments before them: "#nestbed-trace,1", and for each device "#device,…" with the
// members of TracedDevice, the name last. Times are nanoseconds. src/program/count/trace_write.cuh writes the same.
std::string launch_trace_csv(const LaunchTrace& trace);

// The trace for ui.perfetto.dev (inspect/trace_events.hpp).
std::string launch_trace_json(const LaunchTrace& trace);

// Reads either of them from a file. Throws RunError with the file, its line and what is wrong with it.
LaunchTrace read_launch_trace(const std::string& path);

} // namespace nestbed
