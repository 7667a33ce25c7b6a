// The descriptor of the workload `reduce`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo reduce;

} // namespace nestbed::workloads
