// The descriptor of the workload `lanes`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo lanes;

} // namespace nestbed::workloads
