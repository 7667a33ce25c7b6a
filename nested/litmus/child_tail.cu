// litmus_child_tail: the parent's tail launch reads what the parent's child wrote.
//
//     thread 0: launch writer, by fire and forget
//               launch reader, by tail launch
//         writer: data = fresh
//         reader: seen = data
//
// Rule: a tail launch starts when its parent grid and all that the parent launched are complete, and sees what they wrote.
// Guide: CUDA Dynamic Parallelism, sections "Global Memory" and "The Tail Launch Stream".
// Launches: two per root block: 2 * grid.
// Hazards: none.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_child_tail_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == 0) {
        launch_by<litmus_write<Nest>, Mechanism::fire_and_forget>(nest, {1, 1}, mine);
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
    }
}

struct LitmusChildTail {
    static constexpr StrategyInfo info{
        .name = "litmus_child_tail",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::tail>,
        .summary = "the parent's tail launch reads what the parent's child wrote",
        .hazards = "none: a tail launch starts when all other launches of its parent are complete",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, The Tail Launch Stream",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return {.by_depth = {std::uint64_t{2} * point.grid}, .root_blocks = point.grid, .one_by_one = true};
    }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusChildTail>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_child_tail_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                  nest);
        });
    }
};

const Register<LitmusChildTail, LitmusTraits> litmus_child_tail;

} // namespace nestbed::inline NESTBED_BACKEND
