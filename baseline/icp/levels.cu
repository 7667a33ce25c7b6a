// icp_levels: iterative closest point by two kernels that the host launches, a traversal and a search in the leaves.
// Traversal, search and sums are in src/workloads/icp/icp.hpp.
//
//     host, for each iteration: launch the traversal; launch the search; read whether there is another iteration
//
//     host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: launch both as often as there may be iterations, as launches, as a graph, or as
//         a graph of programmatic launches; past the last iteration a grid returns at once
//
// Launches: none from the device; two per iteration from the host, which waits for each iteration, or two per iteration that there may
// be (`levels`), or a graph of these.
// Hazards: none. A grid starts when the grid before it is complete; a programmatic one waits for that.
// Source: Besl, McKay, PAMI 1992.
#include "device/submitted_levels.hpp"
#include "workloads/icp/icp.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void LAUNCH_BOUNDS(1024, 2) icp_traversal(const __grid_constant__ IcpTask task)
{
    begin_level();
    if (task.state->done == 0)
        traverse<kPointsPerThread>(task, blockIdx.x, gridDim.x);
}

__global__ void LAUNCH_BOUNDS(1024, 1) icp_leaves(const __grid_constant__ IcpTask task)
{
    DYNAMIC_SHARED(IcpPointPair, tree);
    begin_level();
    if (task.state->done != 0)
        return;
    search_leaf(task, blockIdx.x, tree, false);
    if (is_last_of(task, gridDim.x))
        finish_iteration(task);
}

struct IcpLevels {
    static constexpr StrategyInfo info{
        .name = "icp_levels",
        .workload = &workloads::icp,
        .mechanisms = kLevelsByHost,
        .summary = "flat: the host launches a traversal and a search in the leaves per iteration",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Besl, McKay, PAMI 1992",
        .waits = true,
    };

    static std::function<void()> prepare(const IcpJob& job)
    {
        job.context.allow_shared<icp_leaves>(job.shared_bytes);
        const LaunchShape traversal{job.context.resident_blocks<icp_traversal>(job.point.block), job.point.block};
        if (has_bound(job.mechanism))
            return submitted_levels(job, [&job, traversal] {
                for (unsigned iteration = 0; iteration < job.task.iterations; ++iteration) {
                    launch_level<icp_traversal>(job, traversal, job.task);
                    launch_level<icp_leaves>(job, job.leaves(), job.task);
                }
            });
        return [&job, traversal] {
            for (IcpState state{}; state.done == 0;) {
                host_launch<icp_traversal>(job.context, traversal, job.task);
                host_launch<icp_leaves>(job.context, job.leaves(), job.task);
                job.context.read(std::span(&state, 1), job.state, 0);
            }
        };
    }
};

const Register<IcpLevels, IcpTraits> icp_levels;

} // namespace nestbed::inline NESTBED_BACKEND
