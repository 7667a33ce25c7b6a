// icp_launches: iterative closest point; a grid of 32 registers and no dynamic shared memory launches one of 195 KB per block.
//
//     traverse: move every scan point, and list it for its leaf
//         launch a block per leaf, with shared memory for the points of the largest leaf
//     leaf: copy the points to shared memory; find the nearest to every scan point of the list
//         the last block: is there another iteration? launch traverse
//
// Launches: two per iteration, without the first, which the host makes. The number of iterations depends on the input; the
// workload counts it on the host.
// By tail launch the traversal launches the leaves at its beginning, because they start when it is complete; otherwise its last block
// does. The host lets the kernel have the shared memory, for launches from kernels too.
// Hazards: none. A tail launch sees what its parent grid wrote. A last block arrives with acquire-release order, so its child sees what
// all blocks wrote.
// Source: Besl, McKay, PAMI 1992; with launches: ours.
#include "workloads/icp/icp.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    icp_launched_leaf(const __grid_constant__ IcpTask task, LaunchShape traversal, unsigned shared_bytes, Nest nest);

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 2)
    icp_launching_traversal(const __grid_constant__ IcpTask task, LaunchShape traversal, unsigned shared_bytes,
                            Nest nest)
{
    const auto scope = nest.enter();
    const LaunchShape leaves{task.leaf_count, blockDim.x, shared_bytes};
    constexpr bool kAtOnce = Nest::mechanism == Mechanism::tail;
    if constexpr (kAtOnce)
        if (blockIdx.x == 0 && threadIdx.x == 0)
            launch<icp_launched_leaf<Nest>>(nest, leaves, task, traversal, shared_bytes);
    traverse<kPointsPerThread>(task, blockIdx.x, gridDim.x);
    if constexpr (!kAtOnce)
        if (is_last_of(task, gridDim.x))
            launch<icp_launched_leaf<Nest>>(nest, leaves, task, traversal, shared_bytes);
}

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    icp_launched_leaf(const __grid_constant__ IcpTask task, LaunchShape traversal, unsigned shared_bytes, Nest nest)
{
    const auto scope = nest.enter();
    DYNAMIC_SHARED(IcpPointPair, tree);
    search_leaf(task, blockIdx.x, tree, false);
    if (is_last_of(task, gridDim.x) && finish_iteration(task))
        launch<icp_launching_traversal<Nest>>(nest, traversal, task, traversal, shared_bytes);
}

struct IcpLaunches {
    static constexpr StrategyInfo info{
        .name = "icp_launches",
        .workload = &workloads::icp,
        .mechanisms =
            kOnly<Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "the traversal launches the search in the leaves, and that the next traversal",
        .hazards = "none: a tail launch, or the last block with acquire-release order",
        .source = "Besl, McKay, PAMI 1992; with launches: ours",
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static void prepare(const IcpJob& job)
    {
        for_each_nest_type<IcpLaunches>(
            [&](auto nest) { job.context.allow_shared<icp_launched_leaf<decltype(nest)>>(job.shared_bytes); });
    }

    static void run(const IcpJob& job)
    {
        launch_waves<IcpLaunches>(job, [&](auto wave, auto nest) {
            using Nest = decltype(nest);
            const LaunchShape shape{job.context.resident_blocks<icp_launching_traversal<Nest>>(job.point.block),
                                    job.point.block};
            wave.blocks = shape.grid.x;
            host_launch<icp_launching_traversal<Nest>>(wave, job.point.block, job.task, shape, job.shared_bytes,
                                                       nest);
        });
    }
};

const Register<IcpLaunches, IcpTraits> icp_launches;

} // namespace nestbed::inline NESTBED_BACKEND
