// The descriptor of the workload `icp`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct IcpInput {
    static constexpr InputKind waves{"waves"}, bumps{"bumps"};
};

namespace workloads
{

extern const WorkloadInfo icp;

} // namespace workloads

} // namespace nestbed
