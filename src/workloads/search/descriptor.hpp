// The descriptor of the workload `search`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct SearchInput {
    static constexpr InputKind t1{"t1"}, t3{"t3"}, t3l{"t3l"}, path{"path"}, queens{"queens"};
};

struct SearchParameter {
    static constexpr Parameter cutoff{.name = "cutoff",
                                      .help = "depth from which a thread searches alone",
                                      .most = 65535,
                                      .default_value = 0,
                                      .default_text = "6 of queens, none of trees",
                                      .role = AxisRole::tuning,
                                      .place = 5};
    static constexpr Parameter budget{.name = "budget",
                                      .help = "nodes that a thread visits before its block leaves the rest",
                                      .most = 1'000'000,
                                      .default_value = 16,
                                      .role = AxisRole::tuning,
                                      .place = 6};
    static constexpr Parameter tree_levels{
        .name = "tree-levels", .help = "levels of a t1 tree", .default_value = 11, .size = true, .place = 11};
    static constexpr Parameter root_children{.name = "root-children",
                                             .help = "children of the root of a t3 or t3l tree",
                                             .default_value = 2000,
                                             .size = true,
                                             .place = 12};
    static constexpr Parameter path_nodes{
        .name = "path-nodes", .help = "nodes of a path", .default_value = 1000, .size = true, .place = 13};
    static constexpr Parameter queens{.name = "queens",
                                      .help = "queens, on a board with as many columns",
                                      .default_value = 12,
                                      .size = true,
                                      .place = 14};
};

namespace workloads
{

extern const WorkloadInfo search;

} // namespace workloads

} // namespace nestbed
