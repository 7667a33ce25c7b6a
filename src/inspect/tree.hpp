// The launch tree of a run, as text for a terminal.
#pragma once

#include "inspect/launch_trace.hpp"

#include <string>

namespace nestbed
{

// One line for all grids that are alike: they are of one kernel, have the same numbers of blocks and threads, and the
// grids that launched them are alike. A line shows the number of grids, the latency from a launch call to the child's first
// instruction (median and maximum), and how long at least one of the grids ran. Consecutive levels that are alike
// share a line. If there are more than 40 lines, grids are grouped by kernel, depth and shape, or without the shape.
std::string tree_text(const Trace& trace);
// The same of a user's program, and how many launches are not in it.
std::string tree_text(const LaunchTrace& trace);

} // namespace nestbed
