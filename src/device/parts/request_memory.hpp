// The arena of an irregular run: its buffers, sized by the oracle, and the run's settings.
#pragma once

#include "device/parts/child_requests.hpp"
#include "device/workload_backend.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

// Rows of the arena that the requests of a block take.
inline std::uint32_t rows_per_block(const Case& point)
{
    return point.aggregate == Aggregate::warp ? point.block / kLanes : 1;
}

// What an irregular workload gives to its strategies.
struct RequestJob : PreparedRun {
    const RequestOracle& oracle;
    std::uint32_t roots;   // blocks of the root grid
    RequestTotals* totals; // on the device; zero, but for `rows` and `heads`
    std::uint64_t& bytes;  // to which a strategy adds what it allocates
};

// Device memory filled with a byte.
template <class T = unsigned>
Buffer<T> filled_buffer(const RequestJob& job, std::size_t count, unsigned char byte, std::string_view name)
{
    Buffer<T> buffer = job.context.template allocate<T>(std::max<std::size_t>(1, count), name);
    job.context.fill_bytes(buffer, byte, count);
    return buffer;
}

template <class Item>
struct RequestBuffers {
    Buffer<RequestRow> rows;
    Buffer<unsigned> arrived, starts, heads;
    Buffer<Item> items;
    Buffer<RefusedGrid<Item>> refused;

    // `row_items`: items that a row may have.
    RequestBuffers(const RequestJob& job, std::uint64_t row_count, std::uint64_t row_items)
    {
        const std::uint64_t grids = job.oracle.launches.total();
        const bool refuses = job.point.overflow == Overflow::inline_run || job.point.overflow == Overflow::spill;
        const auto make = [&]<class T>(Buffer<T>& buffer, std::uint64_t count, std::string_view name) {
            buffer = job.context.allocate<T>(std::max<std::uint64_t>(1, count), name);
            job.bytes += buffer.size() * sizeof(T);
        };
        make(rows, row_count, "rows");
        make(arrived, row_count, "arrived");
        make(starts, row_count * row_items, "starts");
        make(items, row_count * row_items, "items");
        make(refused, refuses ? grids : 0, "refused");
        // A list for every grid, and for every drain, which is launched for a grid that was refused.
        make(heads, refuses ? 2 * grids + job.roots + 2 : 0, "heads");
        job.context.fill_bytes(arrived, 0, arrived.size());
        job.context.fill_bytes(heads, 0, heads.size());
    }
};

// The settings of a run, and the arena for it.
template <class E>
struct RequestSetup {
    RequestBuffers<typename E::Item> buffers;
    RequestRun<E> run;
};

template <class E>
RequestSetup<E> set_up_requests(const RequestJob& job, const typename E::Job& of)
{
    const Case& point = job.point;
    const RequestGroup group = point.aggregate == Aggregate::none   ? RequestGroup::item
                               : point.aggregate == Aggregate::warp ? RequestGroup::warp
                                                                    : RequestGroup::blocks;
    const std::uint32_t rows_each = rows_per_block(point);
    const std::uint64_t rows =
        group == RequestGroup::item ? 0 : (job.roots + (E::kRecursive ? job.oracle.counts.blocks : 0)) * rows_each;
    const std::uint32_t most = E::max_requests(point);
    const std::uint32_t row_items = group == RequestGroup::warp ? std::min<std::uint32_t>(most, kLanes) : most;
    RequestBuffers<typename E::Item> buffers(job, rows, row_items);
    RequestRun<E> run{.job = of,
                      .memory = {.totals = job.totals,
                                 .rows = buffers.rows.data(),
                                 .arrived = buffers.arrived.data(),
                                 .items = buffers.items.data(),
                                 .starts = buffers.starts.data(),
                                 .refused = buffers.refused.data(),
                                 .heads = buffers.heads.data()},
                      .threshold = point.threshold,
                      .coarsen = std::max(1U, point.coarsen),
                      .group_blocks = blocks_per_group(point.aggregate),
                      .max_depth = point.depth.value_or(UINT32_MAX),
                      .row_items = row_items,
                      .group = group,
                      .inline_run = point.overflow == Overflow::inline_run,
                      .spill = point.overflow == Overflow::spill};
    return {std::move(buffers), run};
}

// The root grid, or a wave of it.
template <class E>
ChildGrid<typename E::Item> root_grid(const RequestRun<E>& run, const Wave& wave, std::uint32_t threads)
{
    ChildGrid<typename E::Item> grid{};
    grid.blocks = wave.blocks;
    grid.first = wave.first;
    grid.head = 1 + wave.first; // each wave has a list of its own
    grid.request_row = wave.first * (run.group == RequestGroup::warp ? threads / kLanes : 1);
    return grid;
}

} // namespace nestbed::inline NESTBED_BACKEND
