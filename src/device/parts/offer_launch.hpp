// The nested forms of an irregular recursion: the grids that parts/offer.hpp makes are launched from the device.
#pragma once

#include "device/launch_waves.hpp"
#include "device/nest.hpp"
#include "device/parts/offer_memory.hpp"

#include <type_traits>

namespace nestbed::inline NESTBED_BACKEND
{

template <class E, bool Ordered, class Nest>
__global__ void offer_grid(const __grid_constant__ OfferRun<E> run,
                           const __grid_constant__ ChildGrid<typename E::Item> grid, Nest nest);

template <class E>
concept CountsGrids = requires
{
    requires E::kCountsGrids;
};

// Launches the child grids of one block, and lists those that the device refuses.
template <class E, class Nest, bool Ordered>
struct LaunchSink {
    const Nest& nest;
    unsigned* list; // of the block's refused grids: the index after that of the first; 0: empty

    __device__ void delay() const
    {
        if constexpr (!Ordered)
            nest.delay_other_warps();
    }

    __device__ void launch(const OfferRun<E>& run, ChildGrid<typename E::Item> child) const;
};

// By one thread: adds the block's refused grids to those of its grid, for which the first block makes a tail launch. If
// that is refused too, returns all that are listed, which the block must run itself; else 0.
template <class E, bool Ordered, class Nest>
__device__ unsigned hand_over(const OfferRun<E>& run, const ChildGrid<typename E::Item>& grid, const Nest& nest,
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
        return 0;
    ChildGrid<typename E::Item> drain{};
    drain.blocks = kDrainBlocks;
    drain.depth = grid.depth;
    drain.drains = grid.head;
    drain.head = atomicAdd(&memory.totals->heads, 1U);
    atomicAdd(&memory.totals->drains, 1U);
    const LaunchShape shape{drain.blocks, blockDim.x};
    Nest here = nest;
    here.depth = grid.depth;
    if (here.attempt()) {
        const Nest next = here.child(shape);
        if (check_launch(here, next,
                         device_launch<offer_grid<E, Ordered, Nest>, Mechanism::tail>(shape, run, drain, next)))
            return 0;
    }
    atomicAdd(&memory.totals->drains_refused, 1U);
    const unsigned all = atomicExch(&memory.heads[grid.head], 0U);
    __threadfence();
    return all;
}

// The grids of a recursion, one kernel for all depths. A block runs its block of the grid, or its share of the grids that
// were refused (`drains`), and then what the device refused to this block.
template <class E, bool Ordered, class Nest>
__global__ void LAUNCH_BOUNDS(E::kMostThreads, E::kBlocksAMultiprocessor)
    offer_grid(const __grid_constant__ OfferRun<E> run, const __grid_constant__ ChildGrid<typename E::Item> grid,
               Nest nest)
{
    const auto scope = nest.enter();
    const bool replaces = run.inline_run || run.spill;
    BLOCK_SHARED(unsigned, list, 1);
    unsigned* shared = nullptr;
    if constexpr (UsesSharedWords<E>) {
        BLOCK_SHARED(unsigned, words, E::kSharedWords);
        shared = words;
    }
    if (threadIdx.x == 0)
        list[0] = 0;
    if (replaces)
        __syncthreads();
    const LaunchSink<E, Nest, Ordered> sink{nest, list};
    bool own = true; // not yet what was refused to this block
    unsigned drained = grid.drains == 0 ? 0 : run.memory.heads[grid.drains];
    const ChildGrid<typename E::Item>* now = drained == 0 ? &grid : &run.memory.refused[drained - 1].grid;
    unsigned block = blockIdx.x;
    unsigned step = gridDim.x;
    unsigned turn =
        blockIdx
            .x; // which block of a listed grid this one begins with: many have one block, and each block gets some
    for (;;) {
        for (; block < now->blocks; block += step)
            run_offer_block<Ordered>(run, *now, block, sink, shared);
        if (!replaces)
            return;
        __syncthreads();
        if (own && drained != 0) {
            drained = run.memory.refused[drained - 1].next;
            if (drained != 0) {
                now = &run.memory.refused[drained - 1].grid;
                turn = turn + 1 == gridDim.x ? 0 : turn + 1;
                block = turn;
                continue;
            }
        }
        if (own && run.spill && threadIdx.x == 0 && list[0] != 0)
            list[0] = hand_over<E, Ordered>(run, grid, nest, list[0]);
        own = false;
        __syncthreads();
        const unsigned index = list[0];
        __syncthreads();
        if (index == 0)
            return;
        if (threadIdx.x == 0)
            list[0] = run.memory.refused[index - 1].next;
        __syncthreads();
        now = &run.memory.refused[index - 1].grid;
        block = 0;
        step = 1;
    }
}

template <class E, class Nest, bool Ordered>
__device__ void LaunchSink<E, Nest, Ordered>::launch(const OfferRun<E>& run, ChildGrid<typename E::Item> child) const
{
    OfferTotals& totals = *run.memory.totals;
    atomicAdd(&totals.blocks, static_cast<unsigned long long>(child.blocks));
    if constexpr (CountsGrids<E>)
        atomicAdd(&totals.grids, 1U);
    if constexpr (E::kRecursive)
        child.offer_row = atomicAdd(&totals.rows, child.blocks * rows_a_block(run));
    if (run.spill)
        child.head = atomicAdd(&totals.heads, 1U);
    Nest here = nest;
    here.depth = child.depth - 1;
    if (nestbed::launch<offer_grid<E, Ordered, Nest>>(here, {child.blocks, blockDim.x}, run, child))
        return;
    if (!run.inline_run && !run.spill)
        return;
    const unsigned index = atomicAdd(&totals.replaced, 1U);
    RefusedGrid<typename E::Item>& refused = run.memory.refused[index];
    refused.grid = child;
    refused.next = atomicExch(list, index + 1);
}

// The form of an irregular strategy S that launches from the device. If all blocks of the root grid process one item
// (kOneRoot), there is one wave, which has them all.
template <class S, class E, bool Ordered = true, class Run>
void launch_offers(const Run& job, const OfferRun<E>& run, std::uint32_t threads)
{
    launch_waves<S>(job, [&](auto wave, auto nest) {
        if constexpr (requires { E::kOneRoot; })
            wave.blocks = job.roots;
        host_launch<offer_grid<E, Ordered, decltype(nest)>>(wave, threads, run, root_grid(run, wave, threads), nest);
    });
}

} // namespace nestbed::inline NESTBED_BACKEND
