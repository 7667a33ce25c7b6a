// bezier_line_block: one block per line; each thread computes some of its points.
// The points are computed in src/workloads/bezier/bezier.hpp.
//
// Launches: none from the device.
// Hazards: none. The lines are only read, and only one thread writes each point.
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void line_per_block(BezierTask task)
{
    const BezierLine line = task.lines[blockIdx.x];
    const unsigned points = bezier_points(line, task.max_points);
    for (unsigned index = threadIdx.x; index < points; index += blockDim.x)
        task.out[line.first + index] = bezier_point(line, index, points);
}

struct BezierLineBlock {
    static constexpr StrategyInfo info{
        .name = "bezier_line_block",
        .workload = &workloads::bezier,
        .summary = "flat: one block per line",
        .hazards = "none: only one thread writes each point",
        .source = "NVIDIA cuda-samples, cdpBezierTessellation, without its child grids",
    };

    static void run(const BezierJob& job)
    {
        host_launch<line_per_block>(job.context, 0, {job.task.line_count, job.point.block}, job.task);
    }
};

const Register<BezierLineBlock, BezierTraits> bezier_line_block;

} // namespace nestbed::inline NESTBED_BACKEND
