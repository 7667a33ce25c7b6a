// The descriptors of the workloads `chain` and `fanout`: empty grids.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo chain;
extern const WorkloadInfo fanout;

} // namespace nestbed::workloads
