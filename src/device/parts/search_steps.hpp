// A search in steps, as bfs, sssp and mst make it: the blocks of a grid share a step, and the last one to finish plans the next
// one. The forms differ in who starts it: the host, the last block, a graph, or blocks that wait.
//
// `Steps` is what a workload says of its steps:
//     Search    the argument of its kernels, with `state`, a pointer to global memory, which has
//         plan        of the step that runs, with `blocks`, which it needs; 0: the search is over
//         arrived     0, for the last block
//         epoch       for run_together(): 0
//     Shared    in the shared memory of a block, with `continues`
//     static unsigned run(search, plan, block, blocks, shared)
//         block `block` of `blocks` of the step. All threads call it; it ends with a barrier
//     static void plan_next(search, plan, result, threads)
//         by one thread, after all blocks of the step: the plan of the next one, in blocks of `threads` threads. `result`: what run()
//         has returned, in the last block
#pragma once

#include "device/parts/in_block.hpp"
#include "device/parts/request_memory.hpp"

#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

// A block of a search. All threads call its functions.
template <class Steps>
struct SearchBlock {
    const typename Steps::Search& search;
    typename Steps::Shared& shared;
    unsigned block = blockIdx.x;
    unsigned blocks = gridDim.x; // that share the step: 1 if the block does it alone

    // The block's share of the step. True in the last block: it sees what all have written, and its thread 0 has planned the next step.
    __device__ __forceinline__ bool run_step()
    {
        const auto now = search.state->plan;
        const unsigned result = Steps::run(search, now, block, blocks, shared);
        if (blocks != 1 && !block_arrives_last(&search.state->arrived, blocks))
            return false;
        if (threadIdx.x == 0)
            Steps::plan_next(search, now, result, blockDim.x);
        return true;
    }

    // The same, and, in the last block, the steps after it, alone, as long as continues(blocks) is true. Its thread 0 calls that after
    // the plan of each step, which needs `blocks` blocks; 0: there is none. There it may start a grid for the step.
    template <class Continues>
    __device__ __forceinline__ void run_steps(const Continues& continues)
    {
        while (run_step()) {
            if (threadIdx.x == 0)
                shared.continues = continues(search.state->plan.blocks) ? 1 : 0;
            __syncthreads();
            if (shared.continues == 0)
                return;
            block = 0;
            blocks = 1;
        }
    }

    // run_steps() where a grid can be started for a step of several blocks: launch(blocks) does that, and says whether it has. If it is
    // refused, there or by `depth`, the last block does the step itself. Its thread 0 calls launch(), and end() after the last step.
    template <class Nest, class Launch, class End>
    __device__ __forceinline__ void run_or_launch(Nest& here, RequestTotals* totals, const Launch& launch,
                                                  const End& end)
    {
        run_steps([&](unsigned next) {
            if (next == 0)
                end();
            if (next <= 1 || here.last_level())
                return next != 0;
            if (launch(next))
                return false;
            atomicAdd(&totals->replaced, 1U);
            ++here.depth; // instead of the refused grid, at its depth
            return true;
        });
    }

    // All steps, by the blocks of one grid, which are all resident: the last one does the small steps after each large one, while
    // the others wait for the next large one.
    __device__ __forceinline__ void run_together()
    {
        for (unsigned epoch = 0; search.state->plan.blocks != 0; ++epoch) {
            block = blockIdx.x;
            blocks = gridDim.x;
            run_steps([&](unsigned next) {
                if (next == 1)
                    return true;
                store_release(&search.state->epoch, epoch + 1);
                return false;
            });
            if (threadIdx.x == 0)
                while (load_acquire(&search.state->epoch) == epoch) {
                }
            __syncthreads();
        }
    }
};

// The host starts each step, and waits for it. Kernel(search): every block calls run_step(). `setup`: the buffers of a search.
template <auto Kernel, class Setup>
void run_host_steps(const RequestJob& job, const Setup& setup)
{
    const auto next_blocks = [&]<class State>(const Buffer<State>& buffer) {
        State state{};
        job.context.read(std::span(&state, 1), buffer, 0);
        return state.plan.blocks;
    };
    for (unsigned blocks = setup.first_blocks; blocks != 0; blocks = next_blocks(setup.state))
        host_launch<Kernel>(job.context, 0, {blocks, job.point.block}, setup.search);
}

} // namespace nestbed::inline NESTBED_BACKEND
