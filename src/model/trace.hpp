// The launch tree of one run, as recorded by the grids: the records in device memory, and the trace made from them.
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

// The record of a grid in device memory. Its launcher writes it, except `blocks` and `threads` of a root grid.
struct GridRecord {
    unsigned long long called_ns; // right before the launch call; 0 for a root grid
    unsigned parent;              // index of the launching grid's record; kNoGrid for a root grid
    unsigned depth;
    unsigned blocks;
    unsigned threads;    // per block
    unsigned first_mark; // index of the first mark of its blocks
    unsigned marks;      // number of marks: block b uses mark b modulo this; 0: they did not fit
    int error;           // returned by the launch call
};

// A grid of a recursion, or of a user's program. Times are nanoseconds on the clock of the kernels
// (Probing::timer_step_ns), of a program on the clock of the host.
struct TracedGrid {
    std::uint32_t parent = kNoGrid; // index of the grid that launched it; kNoGrid: the host launched it
    std::uint32_t depth = 0;
    std::uint32_t blocks = 0;
    std::uint32_t threads = 0;              // per block
    std::optional<std::uint64_t> called_ns; // right before the launch call; empty for a root grid
    // The first instruction of the first block. Empty: the grid never ran, or its marks did not fit.
    std::optional<std::uint64_t> begun_ns;
    std::optional<std::uint64_t> ended_ns; // last instruction of the last thread
    std::uint32_t multiprocessor = 0;      // where its block 0 ran; on the executor, the worker
    std::uint32_t multiprocessors = 0;     // how many ran its first blocks; only 256 blocks are counted
    int error = 0;                         // returned by the launch call if it was refused
    std::string error_name;                // empty: the launch was accepted
    // Of a program.
    std::string kernel;
    std::string place;      // FILE:LINE of the launch
    std::string stream;     // null, named, fire_and_forget, tail; host:STREAM from the host
    std::string grid_shape; // "8x2"; empty: not known
    std::string block_shape;
    std::uint32_t device = 0;
};

// The cost of tracing: runs of the same case, alternately with and without tracing.
struct TraceOverhead {
    std::vector<double> untraced_us;
    std::vector<double> traced_us;

    double median_untraced_us() const;
    double median_traced_us() const;
    // The relative increase from the untraced to the traced median: 0.1 is 10 %.
    double share() const;
};

struct Trace {
    Case point;
    std::vector<TracedGrid> grids; // parents before children
    std::uint64_t lost = 0;        // grids that did not fit in the buffer
    std::uint64_t unmarked = 0;    // grids in the buffer whose marks did not fit: they have no begin and no end
    std::uint64_t capacity = 0;    // grids that fit in the buffer
    Sample sample;                 // of the traced run
    std::optional<double> run_us;  // time of the traced run; empty if it was not ok
    unsigned timer_step_ns = 0;
    TraceOverhead overhead;
    DeviceFacts device;
    std::string schedule; // of the executor
};

// For each depth from 1: the median time from a launch call to the first instruction of the launched grid, in
// microseconds. Stops before the first depth at which no grid has both times.
std::vector<double> latencies_by_depth(const Trace& trace);

} // namespace nestbed
