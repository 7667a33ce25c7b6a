// tenants_blocks: many recursions at once, each by one block, from its root to its end.
//
//     host: launch as many blocks as there are tenants, or as the device holds
//     each block: take the next tenant; wait until it has arrived; do all of its levels; and so on
//
// Launches: none from the device; one from the host.
// Hazards: none. The levels of a tenant are those of one block, with barriers between them.
// Source: persistent threads, Gupta, Stuart, Owens, InPar 2012.
#include "workloads/tenants/tenants.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void LAUNCH_BOUNDS(1024) tenants_blocks(TenantsTask task, ArrivalTimes times, unsigned* taken)
{
    BLOCK_SHARED(unsigned, words, kLevelWords);
    BLOCK_SHARED(unsigned, place, 1);
    task.threshold = UINT32_MAX;
    for (;;) {
        if (threadIdx.x == 0) {
            place[0] = atomicAdd(taken, 1U);
            while (place[0] < task.count && !times.has_arrived(place[0])) {
            }
        }
        __syncthreads();
        const unsigned tenant = place[0];
        if (tenant >= task.count)
            return;
        unsigned level = 0;
        run_level(task, tenant, level, 0, 1, words); // its barriers are before the next place
    }
}

struct TenantsBlocks {
    static constexpr StrategyInfo info{
        .name = "tenants_blocks",
        .workload = &workloads::tenants,
        .summary = "flat: a block does a tenant alone, and takes the next",
        .hazards = "none: barriers separate the levels of a block",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012",
        .waits = true,
    };

    static Buffer<unsigned> prepare(const TenantsJob& job) { return zeroed(job, 1, "taken"); }

    static void run(const TenantsJob& job, const Buffer<unsigned>& taken)
    {
        const std::uint32_t blocks =
            std::min(job.context.template resident_blocks<tenants_blocks>(job.point.block), job.task.count);
        const ArrivalTimes times = start_arrivals(job);
        host_launch<tenants_blocks>(job.context, {blocks, job.point.block}, job.task, times, taken.data());
    }
};

const Register<TenantsBlocks, TenantsTraits> tenants_blocks_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
