// What the timeline of a program says: how many grids ran when, how long launches took, and which of them the program
// waited for.
#pragma once

#include "inspect/launch_trace.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

// Why a grid began when it did: the latest of what had to be before.
struct Cause {
    std::uint32_t before = kNoGrid; // grid whose launch call or end it was; kNoGrid: a call of the host
    std::uint64_t at_ns = 0;        // the call, or the end
};

// The cause of each grid that ran. Beside the launch call these can be the end of
// - the parent and its other launches, for a tail launch;
// - the launch before it in the same stream of the host, with its descendants;
// - the launch before it in the NULL stream of a parent that has one block, with its descendants.
// The blocks of other parents have a NULL stream each, which is not recorded.
std::vector<std::optional<Cause>> causes_of(const std::vector<TracedGrid>& grids);

// Grids that had to run one after another.
struct LaunchChain {
    std::vector<std::uint32_t> grids; // from the launch by the host on
    std::uint64_t begin_ns = 0;       // the call of the first, but not before the first begin of all
    std::uint64_t end_ns = 0;         // the end of the last
    std::uint64_t between_ns = 0;     // from each call, or end, to the begin that waited for it
};

// The chain that takes longest. Empty if no grid ran.
LaunchChain longest_chain(const std::vector<TracedGrid>& grids);

struct LaunchSummary {
    std::uint64_t called_ns = 0, begin_ns = 0, end_ns = 0; // first call, first begin, last end
    std::size_t from_kernels = 0;                          // grids
    std::size_t refused = 0, without_begin = 0, without_end = 0;
    std::map<std::size_t, std::uint64_t> running_ns; // time by the number of grids that ran
    std::vector<double> latencies_us;                // from the call in a kernel to the begin
    std::uint32_t worst = kNoGrid;                   // of the latencies
    LaunchChain chain;
};
LaunchSummary summary_of(const LaunchTrace& trace);

// The summary in lines of at most 80 characters.
std::string summary_text(const LaunchSummary& summary, const LaunchTrace& trace);

} // namespace nestbed
