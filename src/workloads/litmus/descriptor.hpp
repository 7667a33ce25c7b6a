// The descriptor of the workload `litmus`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo litmus;

} // namespace nestbed::workloads
