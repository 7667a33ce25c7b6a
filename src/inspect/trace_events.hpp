// Grids as events of a trace viewer.
#pragma once

#include "model/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

// Grids at this depth and deeper share a track.
inline constexpr std::uint32_t kDeepestTrack = 31;

// Returns a lane for each grid that ran; kNoGrid for the others. Two grids with the same lane and depth do not
// overlap in [called or begun, ended]. Lanes are numbered from 0 in each depth, and there are as few as possible.
// Depths from kDeepestTrack on are one.
std::vector<std::uint32_t> lanes_of(const std::vector<TracedGrid>& grids);

// Returns a JSON array of events (Trace Event Format): one process per depth, one thread per lane, one slice for the wait
// from call to begin, one slice for the run, and a flow from the call to the begin. A grid that began and did not end has
// a slice up to the last time of all. Times are in microseconds from first_time_ns().
std::string trace_events(const std::vector<TracedGrid>& grids);
std::uint64_t first_time_ns(const std::vector<TracedGrid>& grids);

} // namespace nestbed
