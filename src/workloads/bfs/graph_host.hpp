// Searches whose steps the host launches, or one cooperative grid runs; and lists with a thread per vertex.
#pragma once

#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A step for the host. The last block plans the next one.
template <bool Weighted>
__global__ void LAUNCH_BOUNDS(1024) search_step(GraphSearch search)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    const GraphSearchPlan now = search.state->plan;
    const unsigned level = run_step<Weighted>(search, now, blockIdx.x, gridDim.x, shared[0]);
    if (is_last_block(search, gridDim.x, shared[0]) && threadIdx.x == 0)
        plan_step<Weighted>(search, now, level, blockDim.x);
}

template <bool Weighted>
GraphSearchSetup set_up_host_steps(const GraphJob& job, const GraphSearchOptions& options)
{
    return set_up_search(job, options, blocks_at_once<search_step<Weighted>>(job));
}

// Waits for each step.
template <bool Weighted>
void run_host_steps(const GraphJob& job, const GraphSearchSetup& setup)
{
    GraphSearchState state{};
    for (unsigned blocks = setup.first_blocks; blocks != 0; blocks = state.plan.blocks) {
        host_launch<search_step<Weighted>>(job.context, 0, {blocks, job.point.block}, setup.search);
        job.context.read(std::span(&state, 1), setup.state, 0);
    }
}

#ifdef __CUDACC__
// All steps in one grid, all of whose blocks are resident. The last block of a step runs small steps alone, and lets the others go
// on with the next step that needs them.
template <bool Weighted>
__global__ void LAUNCH_BOUNDS(1024) search_together(GraphSearch search)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    unsigned block = blockIdx.x;
    unsigned blocks = gridDim.x;
    for (unsigned epoch = 0;;) {
        const GraphSearchPlan now = search.state->plan;
        const unsigned level = run_step<Weighted>(search, now, block, blocks, shared[0]);
        if (is_last_block(search, blocks, shared[0])) {
            if (threadIdx.x == 0) {
                plan_step<Weighted>(search, now, level, blockDim.x);
                shared[0].alone = search.state->plan.mode != StepMode::done && search.state->plan.blocks == 1 ? 1 : 0;
                if (shared[0].alone == 0)
                    store_release(&search.state->epoch, epoch + 1);
            }
            __syncthreads();
            if (shared[0].alone != 0) {
                block = 0;
                blocks = 1;
                continue;
            }
        } else {
            if (threadIdx.x == 0)
                while (load_acquire(&search.state->epoch) == epoch) {
                }
            __syncthreads();
        }
        ++epoch;
        if (search.state->plan.mode == StepMode::done)
            return;
        block = blockIdx.x;
        blocks = gridDim.x;
    }
}
#endif

// A level with a thread per vertex of the list, which follows all edges of the vertex.
template <bool Weighted>
__global__ void frontier_step(GraphSearch search, unsigned list, unsigned items, unsigned level,
                              ItemsAndBlocks before)
{
    const GraphTask& task = search.task;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned vertex = index < items ? search.lists[list][index].vertex : 0;
    const unsigned first = index < items ? task.starts[vertex] : 0;
    const unsigned end = index < items ? task.starts[vertex + 1] : 0;
    const unsigned distance = index < items ? load_relaxed(&task.distance[vertex]) : 0;
    for (unsigned edge = first; edge < end; ++edge) {
        const unsigned to = task.ends[edge];
        if (reaches<Weighted>(search, to, longer_by(task, distance, edge), kUnreached, level + 1, true))
            search.lists[1 - list][atomicAdd(&search.state->found, ItemsAndBlocks{1}) - before].vertex = to;
    }
    const unsigned looked = end - first;
    add_of_warp(&task.totals->work, looked);
}

// Waits for each level, and reads how many vertices the next one has.
template <bool Weighted>
void run_frontiers(const GraphJob& job, const GraphSearchSetup& setup)
{
    GraphSearchState state{};
    ItemsAndBlocks before = 0; // vertices listed so far
    unsigned items = 1;
    for (unsigned level = 0; items != 0; ++level) {
        host_launch<frontier_step<Weighted>>(job.context, 0, {(items - 1) / job.point.block + 1, job.point.block},
                                             setup.search, level % 2, items, level, before);
        job.context.read(std::span(&state, 1), setup.state, 0);
        items = static_cast<unsigned>(state.found - before);
        before = state.found;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
