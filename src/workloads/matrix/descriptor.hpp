// The descriptors of the workloads `transpose`, `copy` and `blobs`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo transpose;
extern const WorkloadInfo copy;
extern const WorkloadInfo blobs;

} // namespace nestbed::workloads
