// litmus_counter, litmus_counter_fence: the block that arrives last at a counter reads what the other block wrote. Only
// litmus_counter_fence has the fences that this needs.
//
//     thread 0: launch child, of two blocks
//         each block: data[block] = fresh
//                     __threadfence()                             litmus_counter_fence alone
//                     if counter++ == 0: return
//                     __threadfence()                             litmus_counter_fence alone
//                     seen = data[other block]
//
// Rule: atomicAdd is relaxed: it orders no other access. A fence before it and a fence after it do.
// Guide: "Memory Fence Functions", whose example this is, and "Atomic Functions".
// Launches: one per root block: grid.
// Hazards: litmus_counter is RACY. Nothing could be delayed: the write and the counter belong to one thread.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The child: two blocks of one thread.
template <bool Fences, class Nest>
__global__ void litmus_arrivals_child(LitmusWords mine, Nest nest)
{
    const auto scope = nest.enter();
    unsigned* const counter = mine.word(2);
    *mine.word(blockIdx.x) = kFresh;
    if constexpr (Fences)
        __threadfence();
    if (atomicAdd(counter, 1U) == 0)
        return;
    if constexpr (Fences)
        __threadfence();
    *mine.seen = *mine.word(1 - blockIdx.x);
}

template <bool Fences, class Nest>
__global__ void litmus_arrivals_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x == 0)
        launch<litmus_arrivals_child<Fences, Nest>>(nest, {2, 1}, words.of(blockIdx.x));
}

struct LitmusArrivals {
    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    template <class S, bool Fences>
    static void launch_arrivals(const LitmusJob& job)
    {
        launch_waves<S>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_arrivals_parent<Fences, decltype(nest)>>(wave, job.point.block,
                                                                        job.words.of(wave.first), nest);
        });
    }
};

struct LitmusCounter : LitmusArrivals {
    static constexpr StrategyInfo info{
        .name = "litmus_counter",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "the last block to arrive at a counter reads what the other wrote, without fences",
        .hazards = "racy: without __threadfence() a counter orders nothing",
        .source = "CUDA C++ Programming Guide, Memory Fence Functions",
        .racy = true,
    };

    static void run(const LitmusJob& job) { launch_arrivals<LitmusCounter, false>(job); }
};

const Register<LitmusCounter, LitmusTraits> litmus_counter;

struct LitmusCounterFence : LitmusArrivals {
    static constexpr StrategyInfo info{
        .name = "litmus_counter_fence",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "the last block to arrive at a counter reads what the other wrote, with fences",
        .hazards = "none: the fences order the write before the read",
        .source = "CUDA C++ Programming Guide, Memory Fence Functions",
    };

    static void run(const LitmusJob& job) { launch_arrivals<LitmusCounterFence, true>(job); }
};

const Register<LitmusCounterFence, LitmusTraits> litmus_counter_fence;

} // namespace nestbed::inline NESTBED_BACKEND
