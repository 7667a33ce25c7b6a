// icp_cooperative: all iterations in one grid of resident blocks, which wait for each other. CUDA only.
//
//     repeat: the blocks share the scan: move every point, and list it for its leaf; all wait
//         each block searches in its leaves; all wait
//
// Each block has the shared memory of a leaf all the time, so a multiprocessor has one block, also while the scan is read. The fewer threads
// that block has, the more scan points a thread must have on their way at a time (`budget`). In return, a block with one leaf copies the
// points of the leaf once, not in every iteration.
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none. All blocks are resident, and wait for each other.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups"; Besl, McKay, PAMI 1992.
#include "workloads/icp/icp.hpp"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
template <unsigned Points>
__global__ void LAUNCH_BOUNDS(1024, 1) icp_together(const __grid_constant__ IcpTask task)
{
    DYNAMIC_SHARED(IcpPointPair, tree);
    const auto all = cooperative_groups::this_grid();
    const bool keeps_leaf = gridDim.x >= task.leaf_count;
    bool copied = false;
    for (;;) {
        traverse<Points>(task, blockIdx.x, gridDim.x);
        all.sync();
        for (unsigned leaf = blockIdx.x; leaf < task.leaf_count; leaf += gridDim.x)
            copied = search_leaf(task, leaf, tree, copied) && keeps_leaf;
        if (is_last_of(task, gridDim.x))
            finish_iteration(task);
        all.sync();
        if (task.state->done != 0)
            return;
    }
}
#endif

struct IcpCooperative {
    static constexpr StrategyInfo info{
        .name = "icp_cooperative",
        .workload = &workloads::icp,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid for all iterations, with the shared memory of a leaf",
        .hazards = "none: all blocks are resident and wait for each other",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .axes = {IcpParameter::points_per_thread},
        .cuda_only = true,
    };

#ifdef __CUDACC__
    static std::function<void()> prepare(const IcpJob& job)
    {
        switch (job.point[IcpParameter::points_per_thread]) {
        case 1:
            return together<1>(job);
        case 2:
            return together<2>(job);
        case 4:
            return together<4>(job);
        case 8:
            return together<8>(job);
        default:
            throw Unsupported("--points-per-thread " + std::to_string(job.point[IcpParameter::points_per_thread]) +
                              "; allowed: 1, 2, 4 or 8");
        }
    }

  private:
    template <unsigned Points>
    static std::function<void()> together(const IcpJob& job)
    {
        job.context.allow_shared<icp_together<Points>>(job.shared_bytes);
        const LaunchShape shape{job.context.resident_blocks<icp_together<Points>>(job.point.block, job.shared_bytes),
                                job.point.block, job.shared_bytes};
        return [&job, shape] { cooperative_launch<icp_together<Points>>(job.context, shape, job.task); };
    }
#endif
};

const Register<IcpCooperative, IcpTraits> icp_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
