// Data-dependent launches: the algorithm (child_requests.hpp has the data).
//
//     run_block(): the block processes its part of a grid; then submit_requests() for what its threads request
//     submit_requests(): a thread processes a small item itself. The others become child grids:
//         group item:    each thread launches a grid for its item, one lane of a warp after another
//         group warp:    the items of a warp go into a row of the arena; its first lane launches one grid for the row
//         group blocks:  the items of a block go into a row; the last block of the group to arrive launches one grid for
//                        all rows of the group
//     A block of a grid with rows searches for its item: in the starts of the rows, then in the starts of the row's items.
//
// A sink launches the grids: sink.launch(run, child), called by one thread; sink.delay(), where a race can be widened.
#pragma once

#include "device/parts/child_requests.hpp"
#include "device/parts/in_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class E>
concept UsesSharedWords = requires
{
    E::kSharedWords;
};

template <class E>
__device__ bool process_item(const RequestRun<E>& run, const typename E::Item& item, unsigned block, unsigned blocks,
                             typename E::Item& next, unsigned* shared)
{
    if constexpr (UsesSharedWords<E>)
        return E::block(run.job, item, block, blocks, next, shared);
    else
        return E::block(run.job, item, block, blocks, next);
}

// Runs root() or block() for block `block` of a grid. True in the threads that request a child.
template <class E>
__device__ bool process(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid, unsigned block,
                        typename E::Item& next, unsigned* shared)
{
    if (grid.depth == 0) {
        if constexpr (UsesSharedWords<E>)
            return E::root(run.job, grid.first + block, next, shared);
        else
            return E::root(run.job, grid.first + block, next);
    }
    if (grid.row_count == 0)
        return process_item(run, grid.item, block, grid.blocks, next, shared);
    const auto& memory = run.memory;
    unsigned row = grid.row;
    if (grid.row_count > 1) {
        row +=
            upper_bound(grid.row_count, block, [&](unsigned index) { return memory.rows[grid.row + index].start; }) -
            1;
        block -= memory.rows[row].start;
    }
    const std::size_t first = std::size_t{row} * run.row_items;
    const unsigned index =
        upper_bound(memory.rows[row].items, block, [&](unsigned at) { return memory.starts[first + at]; }) - 1;
    const typename E::Item item = memory.items[first + index];
    return process_item(run, item, block - memory.starts[first + index],
                        blocks_for(E::threads(run.job, item), blockDim.x, run.coarsen), next, shared);
}

// Called by one thread: launches the items of some rows as one grid.
template <class E, class Sink>
__device__ void launch_rows(const RequestRun<E>& run, const ChildGrid<typename E::Item>& parent, unsigned row,
                            unsigned row_count, unsigned blocks, const Sink& sink)
{
    ChildGrid<typename E::Item> child{};
    child.row = row;
    child.row_count = row_count;
    child.blocks = blocks;
    child.depth = parent.depth + 1;
    sink.launch(run, child);
}

// The blocks of a group have arrived: gives the rows their starts and launches them. The whole block calls it.
template <class E, class Sink>
__device__ void launch_group(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid, unsigned row,
                             unsigned row_count, const Sink& sink)
{
    unsigned blocks = 0;
    for (unsigned base = 0; base < row_count; base += blockDim.x) {
        const unsigned index = base + threadIdx.x;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before =
            exclusive_scan(index < row_count ? run.memory.rows[row + index].blocks : 0, false, total);
        if (index < row_count)
            run.memory.rows[row + index].start = blocks + static_cast<unsigned>(before);
        blocks += static_cast<unsigned>(total);
    }
    __syncthreads();
    if (threadIdx.x == 0 && blocks != 0)
        launch_rows(run, grid, row, row_count, blocks, sink);
}

// The blocks that a requested item needs. 0: it is too small, or nothing may be launched here; then the thread has
// processed it.
template <class E>
__device__ unsigned child_blocks(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid,
                                 const typename E::Item& item)
{
    const unsigned threads = E::threads(run.job, item);
    unsigned blocks = 0;
    if (threads < run.threshold || grid.depth >= run.max_depth)
        E::process_serially(run.job, item);
    else
        blocks = blocks_for(threads, blockDim.x, run.coarsen);
    atomicAdd(&run.memory.totals->items, 1ULL);
    return blocks;
}

// Launches what the threads of block `block` of `grid` request: the item of every thread for which `requests` is true. All
// threads of the block call it.
// Without Ordered the barrier between the items and their launch is missing, so that tests can see the race.
template <bool Ordered = true, class E, class Sink>
__device__ void submit_requests(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid, unsigned block,
                                bool requests, const typename E::Item& item, const Sink& sink)
{
    const auto& memory = run.memory;
    const unsigned blocks = requests ? child_blocks(run, grid, item) : 0;
    if (run.group == RequestGroup::item) {
        one_lane_at_a_time(blocks != 0, [&] {
            ChildGrid<typename E::Item> child{};
            child.item = item;
            child.blocks = blocks;
            child.depth = grid.depth + 1;
            sink.launch(run, child);
        });
        return;
    }
    const bool of_warp = run.group == RequestGroup::warp;
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = exclusive_scan(blocks == 0 ? 0 : 1ULL << kItemsShift | blocks, of_warp, total);
    const unsigned row = grid.request_row + block * rows_per_block(run) + (of_warp ? threadIdx.x / kLanes : 0);
    sink.delay();
    if (blocks != 0) {
        const std::size_t at = std::size_t{row} * run.row_items + (before >> kItemsShift);
        memory.items[at] = item;
        memory.starts[at] = static_cast<unsigned>(before);
    }
    const auto blocks_of_row = static_cast<unsigned>(total);
    if (threadIdx.x % kLanes == 0 && (of_warp || threadIdx.x == 0))
        memory.rows[row] = {static_cast<unsigned>(total >> kItemsShift), blocks_of_row, 0};
    if (of_warp) {
        __syncwarp();
        if (threadIdx.x % kLanes == 0 && blocks_of_row != 0)
            launch_rows(run, grid, row, 1, blocks_of_row, sink);
        return;
    }
    if constexpr (Ordered)
        __syncthreads();
    if (run.group_blocks == 1) {
        if (threadIdx.x == 0 && blocks_of_row != 0)
            launch_rows(run, grid, row, 1, blocks_of_row, sink);
        return;
    }
    const unsigned group_blocks = run.group_blocks == 0 ? grid.blocks : run.group_blocks;
    const unsigned first = block / group_blocks * group_blocks;
    const unsigned members = grid.blocks - first < group_blocks ? grid.blocks - first : group_blocks;
    BLOCK_SHARED(unsigned, last, 1);
    if (threadIdx.x == 0)
        last[0] = is_last_block(&memory.arrived[grid.request_row + first], members) ? 1 : 0;
    __syncthreads();
    if (last[0] != 0)
        launch_group(run, grid, grid.request_row + first, members, sink);
}

// One block of a grid: its part of the work, and what it requests. A kernel should call it in one place: it is inlined (a call
// would take three times the registers) and long.
template <bool Ordered = true, class E, class Sink>
__device__ __forceinline__ void run_block(const RequestRun<E>& run, const ChildGrid<typename E::Item>& grid,
                                          unsigned block, const Sink& sink, unsigned* shared = nullptr)
{
    typename E::Item next{};
    const bool requests = process(run, grid, block, next, shared);
    if (E::kRecursive || grid.depth == 0)
        submit_requests<Ordered>(run, grid, block, requests, next, sink);
}

// A sink for recursions level by level: keeps the one child grid of a level, for the host or for the next run of a graph.
template <class Item>
struct KeepSink {
    ChildGrid<Item>* next;

    __device__ void delay() const {}
    template <class E>
    __device__ void launch(const RequestRun<E>& run, ChildGrid<Item> child) const
    {
        atomicAdd(&run.memory.totals->blocks, static_cast<unsigned long long>(child.blocks));
        child.request_row = atomicAdd(&run.memory.totals->rows, child.blocks);
        *next = child;
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
