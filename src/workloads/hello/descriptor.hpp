// The descriptor of the workload `hello`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo hello;

} // namespace nestbed::workloads
