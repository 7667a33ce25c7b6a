// litmus_local_pointer: a child reads through a pointer to its parent's local memory.
//
//     grid(given):
//         root: own = fresh; launch grid(&own)
//         child: own = stale; seen = *given
//
// `own` is a local variable. Parent and child are one kernel, so the address is that of a variable of the child too: what the child
// reads there tells whose memory it is.
// nvcc warns where it sees this: "A pointer to local memory was stored into the parameter buffer ... Dereferencing this within the launch
// is undefined." It takes the child's pointer for one to global memory. So of_any_memory() hides the pointer from it on both sides.
// Rule: the local memory of a thread belongs to that thread. It is illegal to give a child a pointer to it; __isGlobal() tells whether
// a pointer may be given to a child.
// Guide: CUDA Dynamic Parallelism, section "Local Memory".
// Launches: one per root block: grid.
// Hazards: RACY: nothing is guaranteed. CUDA alone: the executor has one memory for all.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_local_pointer_grid(LitmusWords words, volatile unsigned* given, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x != 0)
        return;
    volatile unsigned own = nest.depth == 0 ? kFresh : kStale; // volatile: in memory, and not in a register
    if (nest.depth == 0)
        launch<litmus_local_pointer_grid<Nest>>(nest, {1, 1}, words.of(blockIdx.x), of_any_memory(&own));
    else
        *words.seen = *of_any_memory(given);
}

struct LitmusLocalPointer {
    static constexpr StrategyInfo info{
        .name = "litmus_local_pointer",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads through a pointer to its parent's local memory",
        .hazards = "racy: the pointer is not defined in the child",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Local Memory",
        .racy = true,
        .cuda_only = true,
    };

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusLocalPointer>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_local_pointer_grid<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                   nullptr, nest);
        });
    }
};

const Register<LitmusLocalPointer, LitmusTraits> litmus_local_pointer;

} // namespace nestbed::inline NESTBED_BACKEND
