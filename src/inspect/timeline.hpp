// The file of a traced run that a trace viewer opens.
#pragma once

#include "model/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

// A lane for each grid that ran, such that no two grids of one lane and one depth overlap in [called or begun, ended]; kNoGrid
// for the others. Lanes are numbered from 0 in each depth, and there are as few as can be.
std::vector<std::uint32_t> lanes_of(const std::vector<TracedGrid>& grids);

// The trace in the Trace Event Format (JSON object format), which Perfetto and chrome://tracing open: a process a depth, a thread
// a lane, a slice for the wait from call to begin and one for the run, a flow from the call to the begin; microseconds from the
// first event. `command` is kept among the metadata.
std::string trace_json(const Trace& trace, const std::vector<std::string>& command);

} // namespace nestbed
