// An irregular recursion level by level in one cooperative grid: its blocks wait for each other between the levels.
#pragma once

#include "device/parts/request_levels.hpp"

#include <cooperative_groups.h>

#include <algorithm>
#include <utility>

namespace nestbed::inline on_cuda
{

// The kernel calls it in all threads, with the root grid and a list of zeroed grids, one per level and one more. Shared memory holds the
// grid of the level, so that it takes no registers. Returns the rest of the list, for a further recursion, which a barrier of the block
// must precede.
template <class E>
__device__ __forceinline__ ChildGrid<typename E::Item>*
run_all_levels(const RequestRun<E>& run, const ChildGrid<typename E::Item>& root, ChildGrid<typename E::Item>* next,
               unsigned* words)
{
    const auto all = cooperative_groups::this_grid();
    BLOCK_SHARED(ChildGrid<typename E::Item>, grid, 1);
    for (const ChildGrid<typename E::Item>* from = &root;; from = next++) {
        if (threadIdx.x == 0)
            grid[0] = *from;
        __syncthreads();
        if (grid[0].blocks == 0)
            return next;
        for (unsigned block = blockIdx.x; block < grid[0].blocks; block += gridDim.x)
            run_block(run, grid[0], block, KeepSink<typename E::Item>{next}, words);
        all.sync(); // what a block wrote before it is visible to all
    }
}

template <class E>
struct GridLevels {
    HostLevels<E> levels;
    std::uint32_t blocks;
};

// As many blocks as the device holds, but not more than there is work for: fewer wait for each other in less time.
template <auto Kernel, class E>
GridLevels<E> grid_levels(const RequestJob& job, RequestSetup<E> setup, std::uint32_t recursions = 1)
{
    const std::uint64_t most = std::max<std::uint64_t>(job.roots, job.oracle.counts.blocks);
    const std::uint64_t resident = job.context.template resident_blocks<Kernel>(job.point.block);
    return {host_levels(job, std::move(setup), recursions), static_cast<std::uint32_t>(std::min(most, resident))};
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
