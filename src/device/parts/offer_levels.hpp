// The flat form of an irregular recursion: level by level. The host launches one grid per level, and reads the size of the
// next one.
#pragma once

#include "device/parts/offer_memory.hpp"

#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

// Keeps the one child grid of a level for the host.
template <class Item>
struct KeepSink {
    ChildGrid<Item>* next;

    __device__ void delay() const {}
    template <class E>
    __device__ void launch(const OfferRun<E>& run, ChildGrid<Item> child) const
    {
        atomicAdd(&run.memory.totals->blocks, static_cast<unsigned long long>(child.blocks));
        child.offer_row = atomicAdd(&run.memory.totals->rows, child.blocks);
        *next = child;
    }
};

template <class E>
__global__ void LAUNCH_BOUNDS(E::kMostThreads)
    offer_level(OfferRun<E> run, ChildGrid<typename E::Item> grid, ChildGrid<typename E::Item>* next)
{
    unsigned* shared = nullptr;
    if constexpr (UsesSharedWords<E>) {
        BLOCK_SHARED(unsigned, words, E::kSharedWords);
        shared = words;
    }
    run_offer_block(run, grid, blockIdx.x, KeepSink<typename E::Item>{next}, shared);
}

template <class E>
struct HostLevels {
    OfferSetup<E> setup;
    Buffer<ChildGrid<typename E::Item>> next; // of each level
};

template <class E>
HostLevels<E> host_levels(const OfferJob& job, OfferSetup<E> setup)
{
    auto next = job.context.template allocate<ChildGrid<typename E::Item>>(job.oracle.launches.levels() + 1, "next");
    job.context.fill_bytes(next, 0, next.size());
    return {std::move(setup), std::move(next)};
}

// Waits for each level.
template <class E>
void run_levels(const OfferJob& job, const HostLevels<E>& levels)
{
    ChildGrid<typename E::Item> grid = root_grid(levels.setup.run, {.blocks = job.roots}, job.point.block);
    for (unsigned level = 0; grid.blocks != 0; ++level) {
        host_launch<offer_level<E>>(job.context, 0, {grid.blocks, job.point.block}, levels.setup.run, grid,
                                    levels.next.data() + level);
        job.context.read(std::span(&grid, 1), levels.next, level);
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
