// An irregular recursion level by level in one cooperative grid: its blocks wait for each other between the levels.
#pragma once

#include "device/parts/request_levels.hpp"

#include <cooperative_groups.h>

#include <utility>

namespace nestbed::inline on_cuda
{

// The kernel calls it in all threads, with the root grid and a list of zeroed grids, one per level and one more. Returns the rest of the
// list, for a further recursion, which a barrier of the block must precede.
template <class E>
__device__ __forceinline__ ChildGrid<typename E::Item>*
run_all_levels(const RequestRun<E>& run, const ChildGrid<typename E::Item>& root, ChildGrid<typename E::Item>* next,
               unsigned* words)
{
    const auto all = cooperative_groups::this_grid();
    for (const ChildGrid<typename E::Item>* from = &root; share_level(run, from, next, words); from = next++)
        all.sync(); // what a block wrote before it is visible to all
    return next;
}

template <class E>
struct GridLevels {
    HostLevels<E> levels;
    std::uint32_t blocks;
};

// Not more blocks than there is work for: fewer wait for each other in less time.
template <auto Kernel, class E>
GridLevels<E> grid_levels(const RequestJob& job, RequestSetup<E> setup, std::uint32_t recursions = 1)
{
    return {host_levels(job, std::move(setup), recursions * (job.oracle.launches.levels() + 1)),
            level_blocks<Kernel, E>(job)};
}

// Launches Kernel(run, grid, next), which calls run_all_levels().
template <auto Kernel, class E>
void run_levels_together(const RequestJob& job, const GridLevels<E>& grid)
{
    const RequestRun<E>& run = grid.levels.setup.run;
    cooperative_launch<Kernel>(job.context, {grid.blocks, job.point.block}, run,
                               root_grid(run, {.blocks = job.roots}, job.point.block), grid.levels.next.data());
}

} // namespace nestbed::inline on_cuda
