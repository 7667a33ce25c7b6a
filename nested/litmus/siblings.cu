// litmus_siblings_null, litmus_siblings_forget, litmus_siblings_named: a child reads what the child launched before it wrote.
//
//     thread 0: launch writer
//               launch reader
//         writer: data = fresh
//         reader: seen = data
//
// Rule: the launches of a block into its NULL stream run in order. Launches by fire and forget, and launches into two named streams,
// are in no order.
// Guide: CUDA Dynamic Parallelism, sections "The Implicit (NULL) Stream", "The Fire-and-Forget Stream" and "Streams and Events".
// Launches: two per root block: 2 * grid.
// Hazards: none in the NULL stream. RACY by the other two: the second launch may start first. `delay_us` delays the write.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_siblings_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == 0) {
        launch<litmus_write<Nest>>(nest, {1, 1}, mine); // each into a stream of its own, if the streams are named
        launch<litmus_read<Nest>>(nest, {1, 1}, mine);
    }
}

struct LitmusSiblings {
    static ExpectedLaunches launches(const Case& point)
    {
        return {.by_depth = {std::uint64_t{2} * point.grid}, .root_blocks = point.grid};
    }

    template <class S>
    static void launch_siblings(const LitmusJob& job)
    {
        launch_waves<S>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_siblings_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                nest);
        });
    }
};

struct LitmusSiblingsNull : LitmusSiblings {
    static constexpr StrategyInfo info{
        .name = "litmus_siblings_null",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "a child reads what the child before it in the NULL stream wrote",
        .hazards = "none: the launches of a block into its NULL stream run in order",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, The Implicit (NULL) Stream",
        .axes = {axis::delay},
    };

    static void run(const LitmusJob& job) { launch_siblings<LitmusSiblingsNull>(job); }
};

const Register<LitmusSiblingsNull, LitmusTraits> litmus_siblings_null;

struct LitmusSiblingsForget : LitmusSiblings {
    static constexpr StrategyInfo info{
        .name = "litmus_siblings_forget",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads what the child before it writes; both by fire and forget",
        .hazards = "racy: fire-and-forget launches are in no order",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, The Fire-and-Forget Stream",
        .axes = {axis::delay},
        .racy = true,
    };

    static void run(const LitmusJob& job) { launch_siblings<LitmusSiblingsForget>(job); }
};

const Register<LitmusSiblingsForget, LitmusTraits> litmus_siblings_forget;

struct LitmusSiblingsNamed : LitmusSiblings {
    static constexpr StrategyInfo info{
        .name = "litmus_siblings_named",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::named_stream>,
        .summary = "a child reads what the child before it writes; each in a named stream of its own",
        .hazards = "racy: named streams are in no order",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Streams and Events",
        .axes = {axis::delay},
        .racy = true,
    };

    static void run(const LitmusJob& job) { launch_siblings<LitmusSiblingsNamed>(job); }
};

const Register<LitmusSiblingsNamed, LitmusTraits> litmus_siblings_named;

} // namespace nestbed::inline NESTBED_BACKEND
