// tenants_children: many recursions at once; each of their levels is a grid, which the level before launches.
// A level is in src/workloads/tenants/tenant_levels.hpp.
//
//     host: root grid: a block for each tenant; those that arrive one by one have a root grid each
//     block of a level: process its nodes; append their children to the next level
//         the last block of the level to be done: launch the next level, with as many blocks as its nodes need;
//             or, if it has at most `threshold` nodes, do it itself, and so on
//
// Launches: one for each level of more nodes than the threshold. By the oracle, because they depend on the input.
// Hazards: none. The last block of a level launches the next when all blocks have arrived at a counter, with acquire-release order.
// Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"; the recursion: ours.
#include "workloads/tenants/tenants.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Level 0: block b is the root of tenant first + b. Any other level: all blocks are of tenant `first`.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) tenants_children(TenantsTask task, unsigned first, unsigned level, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, words, kLevelWords);
    const bool root = level == 0;
    const unsigned tenant = root ? first + blockIdx.x : first;
    const unsigned next = run_level(task, tenant, level, root ? 0 : blockIdx.x, root ? 1 : gridDim.x, words);
    if (threadIdx.x == 0 && next != kNotLast && next != 0)
        launch<tenants_children<Nest>>(nest, {blocks_of_level(next), blockDim.x}, task, tenant, level);
}

struct TenantsChildren {
    static constexpr StrategyInfo info{
        .name = "tenants_children",
        .workload = &workloads::tenants,
        .mechanisms = kChildrenByKernel,
        .summary = "each level of each tenant is a grid that the level before launches",
        .hazards = "none: a level is launched when all blocks of the level before are done",
        .source = "CUDA C++ Programming Guide, CUDA Dynamic Parallelism",
        .axes = {axis::threshold},
        .waits = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return {.root_blocks = static_cast<std::uint32_t>(point[TenantsParameter::tenant_count]), .by_input = true};
    }

    // A wave begins when its last tenant has arrived.
    static void run(const TenantsJob& job)
    {
        job.clock.start();
        launch_waves<TenantsChildren>(job, [&](const auto& wave, auto nest) {
            job.clock.wait_for(wave.first + wave.blocks - 1);
            host_launch<tenants_children<decltype(nest)>>(wave, job.point.block, job.task, wave.first, 0U, nest);
        });
    }
};

const Register<TenantsChildren, TenantsTraits> tenants_children_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
