// litmus_shared_pointer: a child reads through a pointer to its parent's shared memory.
//
//     grid(given):
//         root: own = fresh; launch grid(&own)
//         child: own = stale; seen = *given
//
// `own` is in shared memory. Parent and child are one kernel, so the address is that of a variable of the child too: what the child
// reads there tells whose memory it is.
// nvcc does not warn of this. It takes the child's pointer for one to global memory, so of_any_memory() hides it.
// Rule: the shared memory of a block belongs to that block. What a child does with a pointer to it is not defined; __isGlobal() tells
// whether a pointer may be given to a child.
// Guide: CUDA Dynamic Parallelism, section "Shared and Local Memory".
// Launches: one per root block: grid.
// Hazards: RACY: nothing is guaranteed. CUDA alone: the executor has one memory for all.
// Source: CUDA C++ Programming Guide.
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_shared_pointer_grid(LitmusWords words, volatile unsigned* given, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, own, 1);
    if (threadIdx.x != 0)
        return;
    if (nest.depth == 0) {
        own[0] = kFresh;
        launch<litmus_shared_pointer_grid<Nest>>(nest, {1, 1}, words.of(blockIdx.x),
                                                 static_cast<volatile unsigned*>(own));
    } else {
        own[0] = kStale;
        *words.seen = *of_any_memory(given);
    }
}

struct LitmusSharedPointer {
    static constexpr StrategyInfo info{
        .name = "litmus_shared_pointer",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "a child reads through a pointer to its parent's shared memory",
        .hazards = "racy: the pointer is not defined in the child",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism, Shared and Local Memory",
        .racy = true,
        .cuda_only = true,
    };

    static ExpectedLaunches launches(const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusSharedPointer>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_shared_pointer_grid<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                    nullptr, nest);
        });
    }
};

const Register<LitmusSharedPointer, LitmusTraits> litmus_shared_pointer;

} // namespace nestbed::inline NESTBED_BACKEND
