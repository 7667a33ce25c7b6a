// litmus_child_write: a parent reads what its child writes, and waits for nothing.
//
//     thread 0: launch child; seen = data
//         child: data = fresh
//
// Rule: without release and acquire nothing orders a child's write before its parent's read. The guide names only the tail launch.
// Guide: CUDA Dynamic Parallelism, section "Global Memory".
// Launches: one per root block: grid.
// Hazards: RACY. Without a delay the parent reads before the child starts. `delay_us` delays the read: the child is then usually
// first, and still nothing guarantees it.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_child_write_child(LitmusWords mine, Nest nest)
{
    const auto scope = nest.enter();
    *mine.data = kFresh;
}

template <class Nest>
__global__ void litmus_child_write_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x != 0)
        return;
    launch<litmus_child_write_child<Nest>>(nest, {1, 1}, mine);
    nest.delay(true);
    *mine.seen = *mine.data;
}

struct LitmusChildWrite {
    static constexpr StrategyInfo info{
        .name = "litmus_child_write",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a parent reads what its child writes, and waits for nothing",
        .hazards = "racy: nothing orders the write of the child before the read",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Global Memory",
        .axes = {axis::delay},
        .racy = true,
    };

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusChildWrite>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_child_write_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                   nest);
        });
    }
};

const Register<LitmusChildWrite, LitmusTraits> litmus_child_write;

} // namespace nestbed::inline NESTBED_BACKEND
