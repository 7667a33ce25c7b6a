// litmus_other_barrier: a child reads what another thread of its parent wrote, with a barrier before the launch.
//
//     last thread: data = fresh
//     barrier
//     thread 0: launch child
//         child: seen = data
//
// Rule: the barrier puts the writes of all threads of the block before the launch, and the child sees them.
// Guide: CUDA Dynamic Parallelism, section "Global Memory".
// Launches: one per root block: grid.
// Hazards: none.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_other_barrier_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == blockDim.x - 1) {
        nest.delay(true);
        *mine.data = kFresh;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
}

struct LitmusOtherBarrier {
    static constexpr StrategyInfo info{
        .name = "litmus_other_barrier",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads what another thread of its parent wrote before a barrier",
        .hazards = "none: the barrier puts the write before the launch",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Global Memory",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusOtherBarrier>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_other_barrier_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                     nest);
        });
    }
};

const Register<LitmusOtherBarrier, LitmusTraits> litmus_other_barrier;

} // namespace nestbed::inline NESTBED_BACKEND
