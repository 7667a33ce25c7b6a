// The descriptor of the workload `quadtree`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct QuadInput {
    static constexpr InputKind uniform{"uniform"}, clustered{"clustered"}, line{"line"}, coincident{"coincident"};
};

namespace workloads
{

extern const WorkloadInfo quadtree;

} // namespace workloads

} // namespace nestbed
