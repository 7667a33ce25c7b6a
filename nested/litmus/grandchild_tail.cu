// litmus_grandchild_tail: the tail launch of a grid reads what a grandchild of that grid wrote.
//
//     thread 0: launch child, by fire and forget
//               launch reader, by tail launch
//         child: launch writer, by fire and forget
//             writer: data = fresh
//         reader: seen = data
//
// Rule: a grid is complete when all its descendants are, and a tail launch waits for that.
// Guide: CUDA Dynamic Parallelism, sections "Parent and Child Grids" and "The Tail Launch Stream".
// Launches: two per root block, and one of the child: 3 * grid.
// Hazards: none.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_grandchild_tail_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == 0) {
        constexpr Mechanism kHow = Mechanism::fire_and_forget;
        launch_by<litmus_write_below<kHow, Nest>, kHow>(nest, {1, 1}, mine);
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
    }
}

struct LitmusGrandchildTail {
    static constexpr StrategyInfo info{
        .name = "litmus_grandchild_tail",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::tail>,
        .summary = "a grid's tail launch reads what its grandchild wrote",
        .hazards = "none: a tail launch starts when all descendants of its parent are complete",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Parent and Child Grids",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return {
            .by_depth = {std::uint64_t{2} * point.grid, point.grid}, .root_blocks = point.grid, .one_by_one = true};
    }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusGrandchildTail>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_grandchild_tail_parent<decltype(nest)>>(wave, job.point.block,
                                                                       job.words.of(wave.first), nest);
        });
    }
};

const Register<LitmusGrandchildTail, LitmusTraits> litmus_grandchild_tail;

} // namespace nestbed::inline NESTBED_BACKEND
