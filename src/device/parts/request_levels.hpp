// The host's part of an irregular recursion level by level: it launches a grid for each level, and reads the size of the next; or it
// submits as many grids as there can be levels.
#pragma once

#include "device/parts/request_children.hpp"
#include "device/parts/request_memory.hpp"
#include "device/submitted_levels.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

template <class E>
struct HostLevels {
    RequestSetup<E> setup;
    Buffer<ChildGrid<typename E::Item>> next; // of each level of each recursion
};

// Places for the grids of all levels, and one more, which stays empty; of recursions that follow each other, for each of them.
template <class E>
HostLevels<E> host_levels(const RequestJob& job, RequestSetup<E> setup, unsigned grids)
{
    auto next = job.context.template allocate<ChildGrid<typename E::Item>>(grids, "next");
    job.context.fill_bytes(next, 0, next.size());
    return {std::move(setup), std::move(next)};
}

// Launches Kernel(run, grid, next) for each level, and waits for it. The kernel runs the blocks of the grid with a
// KeepSink{next}. Of recursions that follow each other, each begins with its share of the root blocks.
template <auto Kernel, class E>
void run_levels(const RequestJob& job, const HostLevels<E>& levels, std::uint32_t recursions = 1)
{
    const std::uint32_t roots = job.roots / recursions;
    std::size_t place = 0;
    for (std::uint32_t recursion = 0; recursion < recursions; ++recursion) {
        ChildGrid<typename E::Item> grid =
            root_grid(levels.setup.run, {.first = recursion * roots, .blocks = roots}, job.point.block);
        for (; grid.blocks != 0; ++place) {
            host_launch<Kernel>(job.context, 0, {grid.blocks, job.point.block}, levels.setup.run, grid,
                                levels.next.data() + place);
            job.context.read(std::span(&grid, 1), levels.next, place);
        }
    }
}

// The blocks of a grid share the blocks of `level`, and keep what these request as the next one. All threads call it. False if
// the level has no blocks. Shared memory holds the level, so that it takes no registers.
template <class E>
__device__ __forceinline__ bool share_level(const RequestRun<E>& run, const ChildGrid<typename E::Item>* level,
                                            ChildGrid<typename E::Item>* next, unsigned* words = nullptr)
{
    BLOCK_SHARED(ChildGrid<typename E::Item>, grid, 1);
    if (threadIdx.x == 0)
        grid[0] = *level;
    __syncthreads();
    if (grid[0].blocks == 0)
        return false;
    for (unsigned block = blockIdx.x; block < grid[0].blocks; block += gridDim.x)
        run_block(run, grid[0], block, KeepSink<typename E::Item>{next}, words);
    return true;
}

// Blocks of a grid whose blocks share levels, before anybody knows the levels: as many as the device holds, but not more than a level
// has work for.
template <auto Kernel, class E>
std::uint32_t level_blocks(const RequestJob& job)
{
    const std::uint64_t useful = std::max<std::uint64_t>(job.roots, E::useful_blocks(job.point));
    const std::uint64_t resident = job.context.template resident_blocks<Kernel>(job.point.block);
    return static_cast<std::uint32_t>(std::min(useful, resident));
}

// Returns what makes the levels by the mechanism of the case, one of kLevelsByHost.
// HostLevel(run, grid, next): see run_levels(). AnyLevel(run, grid): calls begin_level() and share_level(run, grid, grid + 1).
template <auto HostLevel, auto AnyLevel, class E>
std::function<void()> level_by_level(const RequestJob& job, RequestSetup<E> setup)
{
    if (!has_bound(job.mechanism)) {
        const unsigned grids = job.oracle.launches.levels() + 1;
        auto levels = std::make_shared<HostLevels<E>>(host_levels(job, std::move(setup), grids));
        return [&job, levels] { run_levels<HostLevel>(job, *levels); };
    }
    const unsigned most = E::max_levels(job.point);
    const unsigned last = std::min(most, job.point.depth.value_or(most));
    auto levels = std::make_shared<HostLevels<E>>(host_levels(job, std::move(setup), last + 2));
    const ChildGrid<typename E::Item> root = root_grid(levels->setup.run, {.blocks = job.roots}, job.point.block);
    job.context.upload(levels->next, std::span(&root, 1));
    const LaunchShape shape{level_blocks<AnyLevel, E>(job), job.point.block};
    return submitted_levels(job, [&job, levels, shape, last] {
        for (unsigned level = 0; level <= last; ++level)
            launch_level<AnyLevel>(job, shape, levels->setup.run, levels->next.data() + level);
    });
}

} // namespace nestbed::inline NESTBED_BACKEND
