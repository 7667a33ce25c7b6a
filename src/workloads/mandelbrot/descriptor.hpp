// The descriptor of the workload `mandelbrot`.
#pragma once

#include "model/workload.hpp"

namespace nestbed::workloads
{

extern const WorkloadInfo mandelbrot;

} // namespace nestbed::workloads
