// The descriptors of the workloads `chain` and `fanout`: empty grids.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct LaunchParameter {
    static constexpr Parameter fanout{
        .name = "fanout", .help = "children of each grid", .least = 2, .most = 256, .default_value = 2, .place = 2};
};

namespace workloads
{

extern const WorkloadInfo chain;
extern const WorkloadInfo fanout;

} // namespace workloads

} // namespace nestbed
