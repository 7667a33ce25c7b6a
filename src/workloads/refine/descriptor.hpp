// The descriptor of the workload `refine`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct RefineInput {
    static constexpr InputKind front{"front"}, rings{"rings"};
};

namespace workloads
{

extern const WorkloadInfo refine;

} // namespace workloads

} // namespace nestbed
