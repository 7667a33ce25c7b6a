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
    Buffer<ChildGrid<typename E::Item>> next; // of each level of each recursion
};

// Places for the levels of `recursions` that follow each other; each begins with its share of the root blocks.
template <class E>
HostLevels<E> host_levels(const RequestJob& job, RequestSetup<E> setup, std::uint32_t recursions = 1)
{
    const std::size_t levels = job.oracle.launches.levels() + std::size_t{1}; // of the longest
    auto next = job.context.template allocate<ChildGrid<typename E::Item>>(recursions * levels, "next");
    job.context.fill_bytes(next, 0, next.size());
    return {std::move(setup), std::move(next)};
}

// Launches Kernel(run, grid, next) for each level, and waits for it. The kernel runs the blocks of the grid with a
// KeepSink{next}.
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

} // namespace nestbed::inline NESTBED_BACKEND
