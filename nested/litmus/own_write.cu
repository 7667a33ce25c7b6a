// litmus_own_write: a child reads what the thread that launches it wrote before.
//
//     thread 0: data = fresh; launch child
//         child: seen = data
//
// Rule: the child sees what the launching thread wrote before the launch.
// Guide: CUDA Dynamic Parallelism, section "Global Memory".
// Launches: one per root block: grid.
// Hazards: none.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_own_write_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == 0) {
        *mine.data = kFresh;
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
    }
}

struct LitmusOwnWrite {
    static constexpr StrategyInfo info{
        .name = "litmus_own_write",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads what the launching thread wrote before the launch",
        .hazards = "none: the child sees what the launching thread wrote before",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Global Memory",
    };

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusOwnWrite>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_own_write_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                 nest);
        });
    }
};

const Register<LitmusOwnWrite, LitmusTraits> litmus_own_write;

} // namespace nestbed::inline NESTBED_BACKEND
