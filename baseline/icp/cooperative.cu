// icp_cooperative: all iterations in one grid of resident blocks, which wait for each other. CUDA only.
//
//     repeat: the blocks share the scan: move every point, and list it for its leaf; all wait
//         each block searches in its leaves; all wait
//
// Each block has the shared memory of a leaf all the time, so a multiprocessor has one block, also while the scan is read. What
// that costs is made good as far as it goes: a thread has several scan points at a time, the more the fewer threads a block has; and a block
// with one leaf copies the points of the leaf once, not in every iteration.
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
inline constexpr unsigned kPointsPerBlock = 4096; // of the scan, at a time: 64 KB on their way

template <unsigned Threads>
__global__ void LAUNCH_BOUNDS(Threads, 1) icp_together(const __grid_constant__ IcpTask task)
{
    DYNAMIC_SHARED(IcpPoint, tree);
    const auto all = cooperative_groups::this_grid();
    const bool keeps_leaf = gridDim.x >= task.leaf_count;
    for (unsigned iteration = 0;; ++iteration) {
        traverse<kPointsPerBlock / Threads>(task, blockIdx.x, gridDim.x);
        all.sync();
        for (unsigned leaf = blockIdx.x; leaf < task.leaf_count; leaf += gridDim.x)
            search_leaf(task, leaf, tree, keeps_leaf && iteration != 0);
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
        .cuda_only = true,
    };

#ifdef __CUDACC__
    static std::function<void()> prepare(const IcpJob& job)
    {
        if (job.point.block > 512)
            return together<1024>(job);
        if (job.point.block > 256)
            return together<512>(job);
        return together<256>(job);
    }

  private:
    template <unsigned Threads>
    static std::function<void()> together(const IcpJob& job)
    {
        job.context.allow_shared<icp_together<Threads>>(job.shared_bytes);
        const LaunchShape shape{job.context.resident_blocks<icp_together<Threads>>(job.point.block, job.shared_bytes),
                                job.point.block, job.shared_bytes};
        return [&job, shape] { cooperative_launch<icp_together<Threads>>(job.context, shape, job.task); };
    }
#endif
};

const Register<IcpCooperative, IcpRoom> icp_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
