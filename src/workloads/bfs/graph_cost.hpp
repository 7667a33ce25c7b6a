// The work of a search of a graph, roughly: by the levels of a breadth-first search, which may be as many as the vertices,
// and by what the strategy does in each. Pure, but for the levels of a small file, which are counted once.
#pragma once

#include "model/strategy.hpp"

namespace nestbed
{

// `edges`: of the graph, roughly.
Work graph_work(const StrategyInfo& info, const Case& point, double edges);

} // namespace nestbed
