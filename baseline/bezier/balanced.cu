// bezier_balanced: one thread per point; a search over the starts of the lines finds the line.
//
// Launches: none from the device. The input has the starts of the lines, which are the prefix sums of their numbers of
// points; no form has to compute them.
// Hazards: none. The lines are only read, and only one thread writes each point.
// Source: load-balanced search, Baxter, moderngpu.
#include "device/parts/in_block.hpp"
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void point_per_thread(BezierTask task)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= task.point_count)
        return;
    const BezierLine line =
        task.lines[last_start(task.line_count, index, [&](unsigned at) { return task.lines[at].first; })];
    task.out[index] = bezier_point(line, index - line.first, bezier_points(line, task.max_points));
}

struct BezierBalanced {
    static constexpr StrategyInfo info{
        .name = "bezier_balanced",
        .workload = &workloads::bezier,
        .summary = "flat: one thread per point, which searches for its line",
        .hazards = "none: only one thread writes each point",
        .source = "load-balanced search, Baxter, moderngpu",
    };

    static void run(const BezierJob& job)
    {
        host_launch<point_per_thread>(job.context, 0,
                                      {(job.task.point_count - 1) / job.point.block + 1, job.point.block}, job.task);
    }
};

const Register<BezierBalanced, BezierRoom> bezier_balanced;

} // namespace nestbed::inline NESTBED_BACKEND
