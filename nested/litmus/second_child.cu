// litmus_second_child: a second child reads the answer of the first, which the first left to a child of its own.
//
//     thread 0: launch first, into the NULL stream
//               launch second, into the NULL stream
//         first: launch writer
//             writer: data = fresh
//         second: seen = data
//
// Rule: a launch into the block's NULL stream starts when the one before it is complete, and so are all descendants of that one.
// Guide: CUDA Dynamic Parallelism, sections "The Implicit (NULL) Stream" and "Parent and Child Grids".
// Launches: two per root block, and one of the first child: 3 * grid.
// Hazards: none.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_second_child_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == 0) {
        launch<litmus_write_below<Mechanism::null_stream, Nest>>(nest, {1, 1}, mine);
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
    }
}

struct LitmusSecondChild {
    static constexpr StrategyInfo info{
        .name = "litmus_second_child",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "a second child reads what the first child's own child wrote",
        .hazards = "none: the second child starts when the first and its descendants are complete",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, The Implicit (NULL) Stream",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return {.by_depth = {std::uint64_t{2} * point.grid, point.grid}, .root_blocks = point.grid};
    }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusSecondChild>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_second_child_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                    nest);
        });
    }
};

const Register<LitmusSecondChild, LitmusTraits> litmus_second_child;

} // namespace nestbed::inline NESTBED_BACKEND
