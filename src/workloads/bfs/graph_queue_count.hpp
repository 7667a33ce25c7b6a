// The oracle of the searches of graphs that have a queue of the vertices that changed. Pure.
#pragma once

#include "workloads/bfs/graph_count.hpp"

namespace nestbed
{

// Launches of GraphForm::queue in these rounds (rounds_of()). Where warps, blocks or groups of blocks share a launch, their
// number depends on which vertices stand next to each other in the queue: then it is by order, and these are the most.
RequestOracle count_queue_rounds(const Case& point, const CsrGraph& graph,
                                 const std::vector<std::vector<std::uint32_t>>& rounds);

} // namespace nestbed
