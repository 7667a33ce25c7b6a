// The descriptor of the workload `quadtree`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo quadtree;

} // namespace nestbed::workloads
