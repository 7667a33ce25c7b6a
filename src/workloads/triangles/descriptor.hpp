// The descriptor of the workload `triangles`: how many triangles a graph has.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo triangles;

} // namespace nestbed::workloads
