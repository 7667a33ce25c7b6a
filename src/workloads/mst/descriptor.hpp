// The descriptor of the workload `mst`: the minimum spanning forest of a graph.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo mst;

} // namespace nestbed::workloads
