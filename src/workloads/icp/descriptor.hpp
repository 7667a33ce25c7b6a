// The descriptor of the workload `icp`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct IcpInput {
    static constexpr InputKind waves{"waves"}, bumps{"bumps"};
};

struct IcpParameter {
    static constexpr Parameter leaves{.name = "leaves",
                                      .help = "leaves of the tree, a power of two",
                                      .most = 1024,
                                      .default_value = 128,
                                      .place = 21};
    static constexpr Parameter leaf_points{.name = "leaf-points",
                                           .help = "points of the surface per leaf, without those of its border",
                                           .most = 65535,
                                           .default_value = 20480,
                                           .place = 22};
    static constexpr Parameter near_every{
        .name = "near-every",
        .help = "one scan point of so many is near the surface and is searched for in a leaf",
        .most = 65535,
        .default_value = 64,
        .place = 23};
    static constexpr Parameter points_per_thread{.name = "points-per-thread",
                                                 .help = "scan points of a thread at a time: 1, 2, 4 or 8",
                                                 .most = 8,
                                                 .default_value = 4,
                                                 .role = AxisRole::tuning,
                                                 .place = 24};
    static constexpr Parameter iterations{
        .name = "iterations", .help = "maximum number of iterations", .most = 16, .default_value = 16, .place = 25};
};

namespace workloads
{

extern const WorkloadInfo icp;

} // namespace workloads

} // namespace nestbed
