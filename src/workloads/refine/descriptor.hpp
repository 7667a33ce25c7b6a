// The descriptor of the workload `refine`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct RefineInput {
    static constexpr InputKind front{"front"}, rings{"rings"};
};

struct RefineParameter {
    static constexpr Parameter division{.name = "division",
                                        .help = "parts per side of the field: root blocks of a time step",
                                        .most = 1024,
                                        .default_value = 16,
                                        .place = 1};
    static constexpr Parameter levels{
        .name = "levels", .help = "the deepest level of cells", .most = 16, .default_value = 6, .place = 7};
    static constexpr Parameter time_steps{
        .name = "time-steps", .help = "time steps", .default_value = 8, .size = true, .place = 15};
    static constexpr Parameter cell_work{.name = "cell-work",
                                         .help = "work of a cell: steps on the path of each of its 64 samples",
                                         .most = 65535,
                                         .default_value = 64,
                                         .place = 16};
};

namespace workloads
{

extern const WorkloadInfo refine;

} // namespace workloads

} // namespace nestbed
