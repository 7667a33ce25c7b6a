// Estimates of a search of a graph: by the levels of a breadth-first search, which may be as many as the vertices, and by
// what the strategy does in each. Pure, but for the levels of a small file, which are counted once.
#pragma once

#include "model/strategy.hpp"

namespace nestbed
{

// A rough number of launches from the device. `edges`: of the graph, roughly.
double graph_launches(const StrategyInfo& info, const Case& point, double edges);

// Microseconds of the rest of a sample's work.
double graph_work_us(const StrategyInfo& info, const Case& point, double edges);

} // namespace nestbed
