// Data-dependent launches from the device: what the kernel of a strategy does with a grid (run_grid), and how it replaces the
// grids that the device refuses because too many launches are pending.
//
//     run_grid(grid): each block processes its block of the grid, and launches what its threads request
//         a launch was refused, `overflow = inline`: the block processes the refused grid itself, afterwards
//         a launch was refused, `overflow = spill`: the block puts it into the list of its grid. The first block to do so
//             launches a drain by a tail launch, which begins when the grid and all its children are complete: then other
//             launches are no longer pending. The blocks of the drain share the listed grids. If the drain is refused too, the
//             block processes the listed grids itself.
//     What a block that does so requests, and what is refused to it, is listed and processed in the same way.
#pragma once

#include "device/launch_waves.hpp"
#include "device/nest.hpp"
#include "device/parts/request_children.hpp"
#include "device/parts/request_memory.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class E>
concept CountsGrids = requires
{
    requires E::kCountsGrids;
};

// Launches the child grids of one block by launch_child(nest, child), and lists those that the device refuses.
template <bool Ordered, class Nest, class Launch>
struct LaunchSink {
    const Nest& nest;
    const Launch& launch_child;
    unsigned* refused; // the list of the block: the index after that of the first refused grid; 0: empty

    __device__ void delay() const
    {
        if constexpr (!Ordered)
            nest.delay_other_warps();
    }

    template <class E>
    __device__ void launch(const RequestRun<E>& run, ChildGrid<typename E::Item> child) const
    {
        RequestTotals& totals = *run.memory.totals;
        atomicAdd(&totals.blocks, static_cast<unsigned long long>(child.blocks));
        if constexpr (CountsGrids<E>)
            atomicAdd(&totals.grids, 1U);
        if constexpr (E::kRecursive)
            child.request_row = atomicAdd(&totals.rows, child.blocks * rows_per_block(run));
        if (run.spill)
            child.head = atomicAdd(&totals.heads, 1U);
        Nest here = nest;
        here.depth = child.depth - 1; // a drain also processes grids of other depths
        if (launch_child(here, child))
            return;
        if (!run.inline_run && !run.spill)
            return;
        const unsigned index = atomicAdd(&totals.replaced, 1U);
        RefusedGrid<typename E::Item>& place = run.memory.refused[index];
        place.grid = child;
        place.next = atomicExch(refused, index + 1);
    }
};

// By one thread: adds the block's refused grids, which are `list`, to those of its grid. The first block to do so makes a tail
// launch of Kernel for them. If that is refused too, returns all that are listed, which the block must run itself; else 0.
template <auto Kernel, class E, class Nest>
__device__ unsigned hand_over(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid, const Nest& nest,
                              unsigned list)
{
    constexpr unsigned kDrainBlocks = kBackend == BackendKind::cuda ? 128 : 2;
    const auto& memory = run.memory;
    unsigned last = list;
    while (memory.refused[last - 1].next != 0)
        last = memory.refused[last - 1].next;
    unsigned before = 0;
    do {
        before = load_acquire(&memory.heads[grid.head]);
        memory.refused[last - 1].next = before;
        __threadfence();
    } while (atomicCAS(&memory.heads[grid.head], before, list) != before);
    if (before != 0)
        return 0; // the drain that another block has launched runs them too
    ChildGrid<typename E::Item> drain{};
    drain.blocks = kDrainBlocks;
    drain.depth = grid.depth;
    drain.drains = grid.head;
    drain.head = atomicAdd(&memory.totals->heads, 1U);
    atomicAdd(&memory.totals->drains, 1U);
    Nest here = nest;
    here.depth = grid.depth;
    if (launch_by<Kernel, Mechanism::tail>(here, {drain.blocks, blockDim.x}, run, drain))
        return 0;
    atomicAdd(&memory.totals->drains_refused, 1U);
    const unsigned all = atomicExch(&memory.heads[grid.head], 0U);
    __threadfence();
    return all;
}

// What a block of Kernel does. All threads call it, in one place. `refused` is one word of shared memory, `words` are the
// E::kSharedWords. launch_child(nest, child) launches Kernel as a child grid.
//
// A block goes through up to three phases:
//     its block of `grid`; or, if this grid is a drain, its blocks of every listed grid
//     its refused grids are handed over to a drain (spill)
//     what was refused and not handed over, grid by grid, until the block's list is empty
template <auto Kernel, bool Ordered = true, class E, class Nest, class Launch>
__device__ __forceinline__ void run_grid(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid,
                                         const Nest& nest, unsigned* refused, unsigned* words,
                                         const Launch& launch_child)
{
    const bool replaces = run.inline_run || run.spill;
    if (threadIdx.x == 0)
        refused[0] = 0;
    if (replaces)
        __syncthreads();
    const LaunchSink<Ordered, Nest, Launch> sink{nest, launch_child, refused};
    bool first_phase = true;
    unsigned drained = grid.drains == 0 ? 0 : run.memory.heads[grid.drains];
    const ChildGrid<typename E::Item>* now = drained == 0 ? &grid : &run.memory.refused[drained - 1].grid;
    unsigned block = blockIdx.x;
    unsigned step = gridDim.x;
    // Which block of a listed grid this one begins with. Many have one block; the blocks of the drain take turns.
    unsigned turn = blockIdx.x;
    for (;;) {
        for (; block < now->blocks; block += step)
            run_block<Ordered>(run, *now, block, sink, words);
        if (!replaces)
            return;
        __syncthreads();
        if (first_phase && drained != 0) {
            drained = run.memory.refused[drained - 1].next;
            if (drained != 0) {
                now = &run.memory.refused[drained - 1].grid;
                turn = turn + 1 == gridDim.x ? 0 : turn + 1;
                block = turn;
                continue;
            }
        }
        if (first_phase && run.spill && threadIdx.x == 0 && refused[0] != 0)
            refused[0] = hand_over<Kernel>(run, grid, nest, refused[0]);
        first_phase = false;
        __syncthreads();
        const unsigned index = refused[0];
        __syncthreads();
        if (index == 0)
            return;
        if (threadIdx.x == 0)
            refused[0] = run.memory.refused[index - 1].next;
        __syncthreads();
        now = &run.memory.refused[index - 1].grid; // this block runs all blocks of the grid
        block = 0;
        step = 1;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
