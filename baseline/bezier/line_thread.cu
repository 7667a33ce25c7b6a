// bezier_line_thread: one thread per line computes all its points.
//
// Launches: none from the device.
// Hazards: none. The lines are only read, and only one thread writes each point.
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void line_per_thread(BezierTask task)
{
    ExpandBezier::Item item{};
    if (ExpandBezier::root(task, blockIdx.x, item))
        ExpandBezier::alone(task, item);
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

const Register<BezierLineThread, BezierRoom> bezier_line_thread;

} // namespace nestbed::inline NESTBED_BACKEND
