// icp_direct: iterative closest point without a change of resources: a thread that has found the leaf of a scan point searches in it at
// once, in device memory (mostly in the L2 cache). No lists, no dynamic shared memory.
// Search and sums are in src/workloads/icp/icp.hpp.
//
//     host, for each iteration: launch a grid; read whether there is another iteration
//     grid: move every scan point, find its leaf, and the nearest point there
//
//     host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: as icp_levels
//
// Launches: none from the device; one per iteration from the host, or one per iteration that there may be (`levels`).
// Hazards: none. A grid starts when the grid before it is complete; a programmatic one waits for that.
// Source: Besl, McKay, PAMI 1992.
#include "device/submitted_levels.hpp"
#include "workloads/icp/icp.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void LAUNCH_BOUNDS(1024, 1) icp_in_place(const __grid_constant__ IcpTask task)
{
    begin_level();
    if (task.state->done != 0)
        return;
    IcpSums mine{};
    for_each_scan_point<kPointsPerThread>(task, blockIdx.x, gridDim.x, [&](const ScanPoint& at, unsigned number) {
        const IcpLeaf& leaf = task.leaves[number];
        add_nearest(task.points + leaf.first, static_cast<int>(leaf.count), at, mine);
    });
    add_sums(task, mine);
    if (is_last_of(task, gridDim.x))
        finish_iteration(task);
}

struct IcpDirect {
    static constexpr StrategyInfo info{
        .name = "icp_direct",
        .workload = &workloads::icp,
        .mechanisms = kLevelsByHost,
        .summary = "flat: one kernel per iteration, which searches without shared memory",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Besl, McKay, PAMI 1992",
        .waits = true,
    };

    static std::function<void()> prepare(const IcpJob& job)
    {
        const LaunchShape shape{job.context.resident_blocks<icp_in_place>(job.point.block), job.point.block};
        if (has_bound(job.mechanism))
            return submitted_levels(job, [&job, shape] {
                for (unsigned iteration = 0; iteration < job.task.iterations; ++iteration)
                    launch_level<icp_in_place>(job, shape, job.task);
            });
        return [&job, shape] {
            for (IcpState state{}; state.done == 0;) {
                host_launch<icp_in_place>(job.context, shape, job.task);
                job.context.read(std::span(&state, 1), job.state, 0);
            }
        };
    }
};

const Register<IcpDirect, IcpTraits> icp_direct;

} // namespace nestbed::inline NESTBED_BACKEND
