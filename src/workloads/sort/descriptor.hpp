// The descriptor of the workload `sort`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo sort;

} // namespace nestbed::workloads
