// The descriptors of the workloads `bfs` and `sssp`: shortest paths in a graph, without and with weights.
#pragma once

#include "model/workload.hpp"

#include <cstdint>

namespace nestbed
{

// Edges of the graph of a case, roughly.
std::uint64_t graph_edges(const Case& point);

namespace workloads
{

extern const WorkloadInfo bfs;
extern const WorkloadInfo sssp;

} // namespace workloads

} // namespace nestbed
