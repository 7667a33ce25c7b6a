// The descriptors of the workloads `bfs` and `sssp`: shortest paths in a graph, without and with weights.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo bfs;
extern const WorkloadInfo sssp;

} // namespace nestbed::workloads
