// The descriptor of the workload `mandelbrot`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct MandelbrotInput {
    static constexpr InputKind set{"set"}, interior{"interior"}, exterior{"exterior"}, dust{"dust"};
};

namespace workloads
{

extern const WorkloadInfo mandelbrot;

} // namespace workloads

} // namespace nestbed
