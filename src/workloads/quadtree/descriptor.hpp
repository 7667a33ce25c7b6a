// The descriptor of the workload `quadtree`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct QuadInput {
    static constexpr InputKind uniform{"uniform"}, clustered{"clustered"}, line{"line"}, coincident{"coincident"};
};

struct QuadParameter {
    static constexpr Parameter grain{.name = "grain",
                                     .help = "maximum points of a node that is not divided",
                                     .most = 65535,
                                     .default_value = 64,
                                     .role = AxisRole::tuning,
                                     .decides_input = true,
                                     .place = 3};
    static constexpr Parameter levels{
        .name = "levels", .help = "the deepest level", .most = 16, .default_value = 16, .place = 7};
};

namespace workloads
{

extern const WorkloadInfo quadtree;

} // namespace workloads

} // namespace nestbed
