// The descriptor of the workload `search`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo search;

} // namespace nestbed::workloads
