// The descriptor of the workload `mandelbrot`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct MandelbrotInput {
    static constexpr InputKind set{"set"}, interior{"interior"}, exterior{"exterior"}, dust{"dust"};
};

struct MandelbrotParameter {
    static constexpr Parameter dwell{
        .name = "dwell", .help = "maximum iterations per pixel", .most = 65535, .default_value = 512, .place = 0};
    static constexpr Parameter division{.name = "division",
                                        .help = "parts per side of the image: root blocks",
                                        .most = 1024,
                                        .default_value = 32,
                                        .role = AxisRole::tuning,
                                        .decides_input = true,
                                        .place = 1};
    static constexpr Parameter fanout{.name = "fanout",
                                      .help = "parts per side of a divided region",
                                      .least = 2,
                                      .most = 256,
                                      .default_value = 2,
                                      .role = AxisRole::tuning,
                                      .decides_input = true,
                                      .place = 2};
    static constexpr Parameter grain{.name = "grain",
                                     .help = "longest side of a region that is not divided",
                                     .most = 65535,
                                     .default_value = 32,
                                     .role = AxisRole::tuning,
                                     .decides_input = true,
                                     .place = 3};
};

namespace workloads
{

extern const WorkloadInfo mandelbrot;

} // namespace workloads

} // namespace nestbed
