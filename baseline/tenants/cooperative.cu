// tenants_cooperative: many recursions at once, by one grid that does a level of all of them and waits for all of its blocks. CUDA only.
//
//     host: launch as many blocks as a level of all tenants needs, or as the device holds
//     repeat, until all tenants have ended: each block computes which blocks belong to which tenant; the blocks share them;
//         block 0 looks who has arrived; all wait
//
// Launches: none from the device; one cooperative launch from the host.
// Hazards: none. All blocks are resident, and wait for each other.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups".
#include "workloads/tenants/tenant_steps.hpp"
#include "workloads/tenants/tenants.hpp"

#include <algorithm>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// `arrived`: the tenants that have, of steps with even and with odd numbers.
__global__ void LAUNCH_BOUNDS(1024)
    tenants_cooperative(TenantsTask task, ArrivalTimes times, unsigned* begins, unsigned* arrived)
{
    BLOCK_SHARED(unsigned, words, kLevelWords);
    BLOCK_SHARED(unsigned, starts, kMaxTenants);
    const auto all = cooperative_groups::this_grid();
    TenantStep step{0, 0, 0};
    for (;; ++step.number) {
        if (blockIdx.x == 0 && threadIdx.x == 0)
            arrived[step.number % 2] = times.arrived(step.arrived);
        all.sync();
        step.known = step.arrived;
        step.arrived = load_relaxed(&arrived[step.number % 2]);
        const unsigned blocks = start_blocks(task, step, begins, starts);
        if (blocks == 0 && step.arrived == task.count)
            return;
        for (unsigned block = blockIdx.x; block < blocks; block += gridDim.x)
            run_step(task, step, begins, starts, block, blocks, words);
        __syncthreads(); // nobody reads `starts` any more
    }
}
#endif

struct TenantsCooperative {
    static constexpr StrategyInfo info{
        .name = "tenants_cooperative",
        .workload = &workloads::tenants,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid does a level of all tenants at a time",
        .hazards = "none: all blocks are resident and wait for each other",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .cuda_only = true,
        .waits = true,
    };

#ifdef __CUDACC__
    struct Prepared {
        Buffer<unsigned> begins, arrived;
        std::uint32_t blocks;
    };

    static Prepared prepare(const TenantsJob& job)
    {
        return {zeroed(job, job.task.count, "begins"), zeroed(job, 2, "arrived"),
                std::min(job.context.resident_blocks<tenants_cooperative>(job.point.block), blocks_of_tenants(job))};
    }

    static void run(const TenantsJob& job, const Prepared& prepared)
    {
        TenantsTask task = job.task;
        task.threshold = 0;
        const ArrivalTimes times = start_arrivals(job);
        cooperative_launch<tenants_cooperative>(job.context, {prepared.blocks, job.point.block}, task, times,
                                                prepared.begins.data(), prepared.arrived.data());
    }
#endif
};

const Register<TenantsCooperative, TenantsTraits> tenants_cooperative_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
