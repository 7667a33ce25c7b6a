// litmus_other_write: a child reads what another thread of its parent wrote, without a barrier before the launch.
//
//     last thread: data = fresh
//     thread 0: launch child
//         child: seen = data
//
// Rule: of the writes of other threads the child is guaranteed to see nothing.
// Guide: CUDA Dynamic Parallelism, section "Global Memory".
// Launches: one per root block: grid.
// Hazards: RACY. `delay_us` delays the write.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_other_write_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == blockDim.x - 1) {
        nest.delay(true);
        *mine.data = kFresh;
    }
    if (threadIdx.x == 0)
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
}

struct LitmusOtherWrite {
    static constexpr StrategyInfo info{
        .name = "litmus_other_write",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads what another thread of its parent writes, without a barrier",
        .hazards = "racy: nothing orders the write of another thread before the launch",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Global Memory",
        .axes = {axis::delay},
        .racy = true,
    };

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusOtherWrite>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_other_write_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                   nest);
        });
    }
};

const Register<LitmusOtherWrite, LitmusTraits> litmus_other_write;

} // namespace nestbed::inline NESTBED_BACKEND
