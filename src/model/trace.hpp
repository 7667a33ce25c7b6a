// The launch tree of one run, as the grids marked it themselves: what the device keeps, and what comes of it.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

inline constexpr std::uint32_t kNoGrid = UINT32_MAX;

// What a grid leaves in device memory, written by its launcher but for `blocks` and `threads` of a root grid.
struct GridRecord {
    unsigned long long called_ns; // right before the launch call; 0 of a root grid
    unsigned parent;              // the record of the launching grid; kNoGrid of a root grid
    unsigned depth;
    unsigned blocks;
    unsigned threads;    // a block
    unsigned first_mark; // of its blocks' marks
    unsigned marks;      // how many: block b has mark b modulo this; 0: they did not fit
    int error;           // of the launch call
};

// A grid of a recursion. Times are nanoseconds on the clock of the kernels (Session::timer_step_ns).
struct TracedGrid {
    std::uint32_t parent = kNoGrid; // the index of the grid that launched it; kNoGrid: the host did
    std::uint32_t depth = 0;
    std::uint32_t blocks = 0;
    std::uint32_t threads = 0;              // a block
    std::optional<std::uint64_t> called_ns; // right before the launch call; not of a root grid
    std::optional<std::uint64_t>
        begun_ns; // the first instruction of the block that was first; empty: it never ran, or
                  // its marks did not fit
    std::optional<std::uint64_t> ended_ns; // the last instruction of the thread that was last
    std::uint32_t multiprocessor = 0;      // on which its block 0 ran; on the executor, the worker
    std::uint32_t multiprocessors = 0;     // on how many its first blocks ran, 256 at most looked at
    int error = 0;                         // of the launch call, with which it was refused
    std::string error_name;                // empty: it was accepted
};

// What tracing costs: the same case, run with and without, in turn.
struct TraceOverhead {
    std::vector<double> untraced_us;
    std::vector<double> traced_us;

    double median_untraced_us() const;
    double median_traced_us() const;
    // By which part the traced median exceeds the other: 0.1 is 10 %.
    double share() const;
};

struct Trace {
    Case point;
    std::vector<TracedGrid> grids; // parents before children
    std::uint64_t lost = 0;        // grids that did not fit the buffer
    std::uint64_t unmarked = 0;    // grids that did, and whose blocks did not: they have no begin and no end
    std::uint64_t capacity = 0;    // grids that do
    Sample sample;                 // of the run that was traced
    std::optional<double> run_us;  // which it took; empty where it was not ok
    unsigned timer_step_ns = 0;
    TraceOverhead overhead;
    DeviceFacts device;
    std::string schedule; // the executor's
};

// Of each depth from 1 the median time from a launch call to the first instruction of what it launched, in microseconds; ends before the
// first depth of which no grid has both.
std::vector<double> latencies_by_depth(const Trace& trace);

} // namespace nestbed
