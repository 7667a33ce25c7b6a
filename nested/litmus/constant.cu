// litmus_constant: a child reads constant memory that the host set before the launch of the root grid.
//
//     host: constant = a new value
//     thread 0: launch child
//         child: seen = fresh if constant is that value
//
// Rule: parent and child share constant memory. The host sets it before the launch; no kernel can.
// Guide: CUDA Dynamic Parallelism, section "Constant Memory".
// Launches: one per root block: grid.
// Hazards: none. There is nothing to delay.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__constant__ unsigned litmus_constant_word;

template <class Nest>
__global__ void litmus_constant_child(LitmusWords mine, unsigned value, Nest nest)
{
    const auto scope = nest.enter();
    *mine.seen = litmus_constant_word == value ? kFresh : kStale;
}

template <class Nest>
__global__ void litmus_constant_parent(LitmusWords words, unsigned value, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x == 0)
        launch<litmus_constant_child<Nest>>(nest, {1, 1}, words.of(blockIdx.x), value);
}

struct LitmusConstant {
    static constexpr StrategyInfo info{
        .name = "litmus_constant",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads constant memory that the host set before the launch",
        .hazards = "none: constant memory does not change while kernels run",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Constant Memory",
    };

    inline static unsigned value = 0; // of this run; every run has another

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void prepare(const LitmusJob& job) { job.context.set_constant(litmus_constant_word, ++value); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusConstant>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_constant_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                value, nest);
        });
    }
};

const Register<LitmusConstant, LitmusTraits> litmus_constant;

} // namespace nestbed::inline NESTBED_BACKEND
