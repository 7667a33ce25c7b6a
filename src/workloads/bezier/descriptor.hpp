// The descriptor of the workload `bezier`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct BezierInput {
    static constexpr InputKind curves{"curves"}, zipf{"zipf"};
};

namespace workloads
{

extern const WorkloadInfo bezier;

} // namespace workloads

} // namespace nestbed
