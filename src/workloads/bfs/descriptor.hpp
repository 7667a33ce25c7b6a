// The descriptors of the workloads `bfs` and `sssp`: shortest paths in a graph, without and with weights.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct BfsParameter {
    static constexpr Parameter bucket_width{.name = "bucket-width",
                                            .help = "width of the range of distances that is processed first",
                                            .default_value = 64,
                                            .role = AxisRole::tuning,
                                            .place = 10};
};

namespace workloads
{

extern const WorkloadInfo bfs;
extern const WorkloadInfo sssp;

} // namespace workloads

} // namespace nestbed
