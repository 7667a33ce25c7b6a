// The host's part of an irregular recursion level by level: it launches one grid per level, and reads the size of the next.
#pragma once

#include "device/parts/request_children.hpp"
#include "device/parts/request_memory.hpp"

#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

template <class E>
struct HostLevels {
    RequestSetup<E> setup;
    Buffer<ChildGrid<typename E::Item>> next; // of each level
};

template <class E>
HostLevels<E> host_levels(const RequestJob& job, RequestSetup<E> setup)
{
    auto next = job.context.template allocate<ChildGrid<typename E::Item>>(job.oracle.launches.levels() + 1, "next");
    job.context.fill_bytes(next, 0, next.size());
    return {std::move(setup), std::move(next)};
}

// Launches Kernel(run, grid, next) for each level, and waits for it. The kernel runs the blocks of the grid with a
// KeepSink{next}.
template <auto Kernel, class E>
void run_levels(const RequestJob& job, const HostLevels<E>& levels)
{
    ChildGrid<typename E::Item> grid = root_grid(levels.setup.run, {.blocks = job.roots}, job.point.block);
    for (unsigned level = 0; grid.blocks != 0; ++level) {
        host_launch<Kernel>(job.context, 0, {grid.blocks, job.point.block}, levels.setup.run, grid,
                            levels.next.data() + level);
        job.context.read(std::span(&grid, 1), levels.next, level);
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
