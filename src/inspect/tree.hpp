// The launch tree of a run as text for a terminal.
#pragma once

#include "model/trace.hpp"

#include <string>

namespace nestbed
{

// A line for the grids that are alike: launched by grids that are alike, of as many blocks and threads. With how many they are,
// the latency from a launch call to the child's first instruction (median and most), and how long at least one of them ran.
// Levels that follow each other and are alike share a line. A tree of more than 40 such lines is folded: by depth and shape, or
// by depth alone.
std::string tree_text(const Trace& trace);

} // namespace nestbed
