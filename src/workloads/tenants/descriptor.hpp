// The descriptor of the workload `tenants`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct TenantsInput {
    static constexpr InputKind together{"together"}, poisson{"poisson"};
};

struct TenantsParameter {
    static constexpr Parameter levels{.name = "levels",
                                      .help = "the most levels of a tenant; each has at least half as many",
                                      .most = 16,
                                      .default_value = 16,
                                      .place = 7};
    static constexpr Parameter tenant_count{
        .name = "tenant-count", .help = "independent recursions", .default_value = 64, .size = true, .place = 17};
    static constexpr Parameter level_nodes{.name = "level-nodes",
                                           .help = "nodes of a level, on average over the tenants",
                                           .most = 65535,
                                           .default_value = 256,
                                           .place = 18};
    static constexpr Parameter node_work{.name = "node-work",
                                         .help = "work of a node: rounds of its hash",
                                         .most = 65535,
                                         .default_value = 64,
                                         .place = 19};
    static constexpr Parameter arrival_gap_us{.name = "arrival-gap-us",
                                              .help = "mean gap (us) between two arrivals of input `poisson`",
                                              .default_value = 10,
                                              .place = 20};
};

namespace workloads
{

extern const WorkloadInfo tenants;

} // namespace workloads

} // namespace nestbed
