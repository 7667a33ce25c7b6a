// bezier_line_thread: one thread per line computes all its points.
// The points are computed in src/workloads/bezier/bezier.hpp.
//
// Launches: none from the device.
// Hazards: none. The lines are only read, and only one thread writes each point.
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void line_per_thread(BezierTask task)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= task.line_count)
        return;
    const BezierLine line = task.lines[index];
    const unsigned points = bezier_points(line, task.max_points);
    for (unsigned point = 0; point < points; ++point)
        task.out[line.first + point] = bezier_point(line, point, points);
}

struct BezierLineThread {
    static constexpr StrategyInfo info{
        .name = "bezier_line_thread",
        .workload = &workloads::bezier,
        .summary = "flat: one thread per line",
        .hazards = "none: only one thread writes each point",
        .source = "KLAP, MICRO 2016, benchmark BT without dynamic parallelism",
    };

    static void run(const BezierJob& job)
    {
        host_launch<line_per_thread>(job.context, 0, {job.point.grid, job.point.block}, job.task);
    }
};

const Register<BezierLineThread, BezierTraits> bezier_line_thread;

} // namespace nestbed::inline NESTBED_BACKEND
