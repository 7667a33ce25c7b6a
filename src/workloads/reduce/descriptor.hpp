// The descriptor of the workload `reduce`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct ReduceInput {
    static constexpr InputKind random = kDefaultInput, index{"index"};
};

namespace workloads
{

extern const WorkloadInfo reduce;

} // namespace workloads

} // namespace nestbed
