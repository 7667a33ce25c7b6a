// Launches by need: a block offers the items that its threads want, and they become child grids (model/offers.hpp).
//
// One struct describes an irregular recursion for all forms, nested and flat:
//     struct Expand {
//         struct Item { ... };                    small plain data
//         struct Job { ... };                     what all blocks need; passed by value
//         static constexpr bool kRecursive;       items offer items
//         static constexpr unsigned kMostThreads, kBlocksAMultiprocessor;      for LAUNCH_BOUNDS
//         static unsigned most_offers(const Case&);                     items that a block may want, at most
//         __device__ static unsigned threads(const Job&, const Item&);  that the item needs
//         __device__ static bool root(const Job&, unsigned block, Item& next);
//         __device__ static bool block(const Job&, const Item&, unsigned block, unsigned blocks, Item& next);
//         __device__ static void alone(const Job&, const Item&);        the item and all below it, by one thread
//     };
// If the struct has kSharedWords, root() and block() take a further argument: so many words of shared memory. Kernels
// declare it themselves: nvlink would give what a function declares to all kernels (BLOCK_SHARED).
// With kCountsGrids = true the launches that are wanted are counted: the oracle of the recursion may not know how many.
// root() is block `block` of the root grid; block() is block `block` of the `blocks` that process an item. All threads
// of the block call them; a thread that wants a further item returns true and fills `next`. They must not use blockIdx
// or gridDim, because a block may also process blocks of other grids.
#pragma once

#include "device/language.hpp"
#include "device/parts/in_block.hpp"
#include "model/offers.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kLanes = 32;

// What a run counts, on the device. Zero before every run but for `rows`.
struct OfferTotals {
    unsigned long long items;  // wanted, with those below the threshold
    unsigned long long blocks; // of child grids
    unsigned long long work;   // in the unit of the workload
    unsigned replaced;         // launches that were refused and done in another way
    unsigned drains;           // tail launches that did them
    unsigned drains_refused;   // of these, not made
    unsigned rows;             // of OfferMemory::rows that are taken
    unsigned heads;            // of OfferMemory::heads that are taken
    unsigned grids;            // launches that were wanted, if the recursion counts them (kCountsGrids)
};

// Which items share one launch.
enum class OfferGroup : unsigned char { item, warp, blocks };

// A row of the arena: the items that one block, or one warp, offers in one launch.
struct OfferRow {
    unsigned items;
    unsigned blocks; // that they need
    unsigned start;  // those of the rows before it in its group
};

// A grid of the recursion.
template <class Item>
struct ChildGrid {
    Item item;          // of a grid with one item
    unsigned row;       // the first row with its items
    unsigned row_count; // 0: the grid has one item
    unsigned blocks;
    unsigned depth;     // 0: the root grid, or a wave of it
    unsigned first;     // the root block that a wave of the root grid begins with
    unsigned offer_row; // the row to which the first of its blocks offers
    unsigned drains;    // the list that this grid drains (spill); 0: none
    unsigned head;      // of the list of the grids that its blocks were refused (spill)
};

template <class Item>
struct RefusedGrid {
    ChildGrid<Item> grid;
    unsigned next; // the index after that of the next one in the list; 0: it is the last
};

// The arena. Its sizes come from the oracle.
template <class Item>
struct OfferMemory {
    OfferTotals* totals;
    OfferRow* rows;
    unsigned* arrived; // blocks of a group, at the index of the group's first row
    Item* items;       // row_items for each row
    unsigned* starts;  // the blocks of the items before it in its row
    RefusedGrid<Item>* refused;
    unsigned* heads; // lists of refused grids: 0, or an index + 1
};

template <class E>
struct OfferRun {
    typename E::Job job;
    OfferMemory<typename E::Item> memory;
    unsigned threshold;
    unsigned coarsen;
    unsigned group_blocks; // blocks whose items share a launch; 0: all of the grid
    unsigned max_depth;    // at which nothing is launched
    unsigned row_items;
    OfferGroup group;
    bool inline_run; // what is refused is done by the block itself
    bool spill;      // or by a tail launch
};

// Rows that a block offers to.
template <class E>
__device__ unsigned rows_a_block(const OfferRun<E>& run)
{
    return run.group == OfferGroup::warp ? blockDim.x / kLanes : 1;
}

// Calls act() in each thread for which `acts` is true, one lane of a warp after another: lanes that launch together
// past the pending limit hang the GPU (results/h200/README.md). All threads of the warp call it.
template <class Act>
__device__ void in_turn(bool acts, const Act& act)
{
#ifdef __CUDACC__
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, acts); left != 0; left &= left - 1) {
        if (threadIdx.x % kLanes == static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1))
            act();
        __syncwarp();
    }
#else
    if (acts)
        act();
#endif
}

// Items in the upper half and blocks in the lower half of one number, so that one sum adds both.
using ItemsAndBlocks = unsigned long long;
inline constexpr unsigned kItemsShift = 32;

// The sum over the threads before the caller in its warp, or in its block; `total` is the sum over all of them. All
// threads of the block call it.
__device__ inline ItemsAndBlocks sum_before(ItemsAndBlocks mine, bool of_warp, ItemsAndBlocks& total)
{
    const unsigned tid = threadIdx.x;
#ifdef __CUDACC__
    const unsigned lane = tid % kLanes;
    ItemsAndBlocks sum = mine;
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        const ItemsAndBlocks before = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
        if (lane >= distance)
            sum += before;
    }
    if (of_warp) {
        total = __shfl_sync(0xFFFFFFFFU, sum, kLanes - 1);
        return sum - mine;
    }
    BLOCK_SHARED(ItemsAndBlocks, sums, kLanes);
    __syncthreads(); // nobody still reads what was there before
    if (lane == kLanes - 1)
        sums[tid / kLanes] = sum;
    __syncthreads();
    total = 0;
    for (unsigned warp = 0; warp < blockDim.x / kLanes; ++warp) {
        if (warp == tid / kLanes)
            sum += total;
        total += sums[warp];
    }
    return sum - mine;
#else
    constexpr unsigned kMost = 1024;
    BLOCK_SHARED(ItemsAndBlocks, values, kMost);
    __syncthreads(); // nobody still reads what was there before
    values[tid] = mine;
    __syncthreads();
    const unsigned first = of_warp ? tid / kLanes * kLanes : 0;
    const unsigned end = of_warp ? first + kLanes : blockDim.x;
    ItemsAndBlocks before = 0;
    total = 0;
    for (unsigned thread = first; thread < end; ++thread) {
        before = thread == tid ? total : before;
        total += values[thread];
    }
    return before;
#endif
}

// The least and the largest of what the threads of a block give, in shared memory that nobody reads now. All threads call
// it; a barrier must follow.
__device__ inline void gather_range(unsigned* found_least, unsigned* found_most, unsigned least, unsigned most)
{
#ifdef __CUDACC__
    least = __reduce_min_sync(0xFFFFFFFFU, least);
    most = __reduce_max_sync(0xFFFFFFFFU, most);
    if (threadIdx.x % kLanes != 0)
        return;
#endif
    atomicMin(found_least, least);
    atomicMax(found_most, most);
}

template <class E>
concept UsesSharedWords = requires
{
    E::kSharedWords;
};

template <class E>
__device__ bool process_item(const OfferRun<E>& run, const typename E::Item& item, unsigned block, unsigned blocks,
                             typename E::Item& next, unsigned* shared)
{
    if constexpr (UsesSharedWords<E>)
        return E::block(run.job, item, block, blocks, next, shared);
    else
        return E::block(run.job, item, block, blocks, next);
}

// Runs root() or block() for block `block` of a grid. False where no item is wanted.
template <class E>
__device__ bool process(const OfferRun<E>& run, const ChildGrid<typename E::Item>& grid, unsigned block,
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
        row += last_start(grid.row_count, block, [&](unsigned index) { return memory.rows[grid.row + index].start; });
        block -= memory.rows[row].start;
    }
    const std::size_t first = std::size_t{row} * run.row_items;
    const unsigned index =
        last_start(memory.rows[row].items, block, [&](unsigned at) { return memory.starts[first + at]; });
    const typename E::Item item = memory.items[first + index];
    return process_item(run, item, block - memory.starts[first + index],
                        blocks_wanted(E::threads(run.job, item), blockDim.x, run.coarsen), next, shared);
}

// Called by one thread: launches the items of some rows as one grid.
template <class E, class Sink>
__device__ void launch_rows(const OfferRun<E>& run, const ChildGrid<typename E::Item>& parent, unsigned row,
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
__device__ void launch_group(const OfferRun<E>& run, const ChildGrid<typename E::Item>& grid, unsigned row,
                             unsigned row_count, const Sink& sink)
{
    unsigned blocks = 0;
    for (unsigned base = 0; base < row_count; base += blockDim.x) {
        const unsigned index = base + threadIdx.x;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before =
            sum_before(index < row_count ? run.memory.rows[row + index].blocks : 0, false, total);
        if (index < row_count)
            run.memory.rows[row + index].start = blocks + static_cast<unsigned>(before);
        blocks += static_cast<unsigned>(total);
    }
    __syncthreads();
    if (threadIdx.x == 0 && blocks != 0)
        launch_rows(run, grid, row, row_count, blocks, sink);
}

// Launches what the threads of block `block` of `grid` want: the item of every thread for which `wants` is true. All
// threads of the block call it. The sink launches grids: sink.launch(run, child), called by one thread.
// Without Ordered the barrier between the items and their launch is missing, so that tests can see the race.
template <bool Ordered = true, class E, class Sink>
__device__ void offer(const OfferRun<E>& run, const ChildGrid<typename E::Item>& grid, unsigned block, bool wants,
                      const typename E::Item& item, const Sink& sink)
{
    const auto& memory = run.memory;
    unsigned blocks = 0;
    if (wants) {
        const unsigned threads = E::threads(run.job, item);
        if (threads < run.threshold || grid.depth >= run.max_depth)
            E::alone(run.job, item);
        else
            blocks = blocks_wanted(threads, blockDim.x, run.coarsen);
        atomicAdd(&memory.totals->items, 1ULL);
    }
    if (run.group == OfferGroup::item) {
        in_turn(blocks != 0, [&] {
            ChildGrid<typename E::Item> child{};
            child.item = item;
            child.blocks = blocks;
            child.depth = grid.depth + 1;
            sink.launch(run, child);
        });
        return;
    }
    const bool of_warp = run.group == OfferGroup::warp;
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = sum_before(blocks == 0 ? 0 : 1ULL << kItemsShift | blocks, of_warp, total);
    const unsigned row = grid.offer_row + block * rows_a_block(run) + (of_warp ? threadIdx.x / kLanes : 0);
    sink.delay();
    if (blocks != 0) {
        const std::size_t at = std::size_t{row} * run.row_items + (before >> kItemsShift);
        memory.items[at] = item;
        memory.starts[at] = static_cast<unsigned>(before);
    }
    const auto blocks_of_all = static_cast<unsigned>(total);
    if (threadIdx.x % kLanes == 0 && (of_warp || threadIdx.x == 0))
        memory.rows[row] = {static_cast<unsigned>(total >> kItemsShift), blocks_of_all, 0};
    if (of_warp) {
#ifdef __CUDACC__
        __syncwarp();
#else
        __syncthreads();
#endif
        if (threadIdx.x % kLanes == 0 && blocks_of_all != 0)
            launch_rows(run, grid, row, 1, blocks_of_all, sink);
        return;
    }
    if constexpr (Ordered)
        __syncthreads();
    if (run.group_blocks == 1) {
        if (threadIdx.x == 0 && blocks_of_all != 0)
            launch_rows(run, grid, row, 1, blocks_of_all, sink);
        return;
    }
    const unsigned group_blocks = run.group_blocks == 0 ? grid.blocks : run.group_blocks;
    const unsigned first = block / group_blocks * group_blocks;
    const unsigned members = grid.blocks - first < group_blocks ? grid.blocks - first : group_blocks;
    BLOCK_SHARED(unsigned, last, 1);
    if (threadIdx.x == 0)
        last[0] = arrives_last(&memory.arrived[grid.offer_row + first], members) ? 1 : 0;
    __syncthreads();
    if (last[0] != 0)
        launch_group(run, grid, grid.offer_row + first, members, sink);
}

// One block of a grid: its part of the work, and what it offers. A kernel should call it in one place: it is inlined (a call
// would take three times the registers) and long.
template <bool Ordered = true, class E, class Sink>
__device__ __forceinline__ void run_offer_block(const OfferRun<E>& run, const ChildGrid<typename E::Item>& grid,
                                                unsigned block, const Sink& sink, unsigned* shared = nullptr)
{
    typename E::Item next{};
    const bool wants = process(run, grid, block, next, shared);
    if (E::kRecursive || grid.depth == 0)
        offer<Ordered>(run, grid, block, wants, next, sink);
}

} // namespace nestbed::inline NESTBED_BACKEND
