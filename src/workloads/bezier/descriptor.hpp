// The descriptor of the workload `bezier`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo bezier;

} // namespace nestbed::workloads
