// The file of a traced run, for a trace viewer.
#pragma once

#include "model/trace.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// Returns the trace in the Trace Event Format (JSON object format), which Perfetto and chrome://tracing open. It has
// one process per depth, one thread per lane, one slice for the wait from call to begin, one slice for the run, and a
// flow from the call to the begin. Times are in microseconds from the first event. The metadata contains `command`.
std::string trace_json(const Trace& trace, const std::vector<std::string>& command);

} // namespace nestbed
