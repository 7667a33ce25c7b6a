// Data-dependent launches: the data. A thread of a block may request a child: an item of work that needs a grid of its own. This
// header has what describes requests and the grids that they become; request_children.hpp has the algorithm.
//
// One struct describes an irregular recursion for all forms, nested and flat:
//     struct Expand {
//         struct Item { ... };                    small plain data
//         struct Job { ... };                     what all blocks need; passed by value
//         static constexpr bool kRecursive;       items request items
//         static unsigned max_requests(const Case&);                    items that a block may request
//         __device__ static unsigned threads(const Job&, const Item&);  that the item needs
//         __device__ static bool root(const Job&, unsigned block, Item& next);
//         __device__ static bool block(const Job&, const Item&, unsigned block, unsigned blocks, Item& next);
//         __device__ static void process_serially(const Job&, const Item&);     the item and all below it, by one thread
//     };
// root() is block `block` of the root grid; block() is block `block` of the `blocks` that process an item. All threads
// of the block call them; a thread that requests a child returns true and fills `next`. They must not use blockIdx
// or gridDim, because a block may also process blocks of other grids.
// If the struct has kSharedWords, root() and block() take a further argument: so many words of shared memory. Kernels
// declare it themselves: nvlink would give what a function declares to all kernels (BLOCK_SHARED).
// With kCountsGrids = true the launches that are requested are counted: the oracle of the recursion may not know how many.
#pragma once

#include "device/parts/request_collectives.hpp"
#include "model/request_oracle.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What a run counts, on the device. Zero before every run but for `rows`.
struct RequestTotals {
    unsigned long long items;  // requested, with those below the threshold
    unsigned long long blocks; // of child grids
    unsigned long long work;   // in the unit of the workload
    unsigned replaced;         // launches that were refused and done in another way
    unsigned drains;           // tail launches that did them
    unsigned drains_refused;   // of these, not made
    unsigned rows;             // of RequestMemory::rows that are taken
    unsigned heads;            // of RequestMemory::heads that are taken
    unsigned grids;            // launches that were requested, if the recursion counts them (kCountsGrids)
};

// Which items share one launch.
enum class RequestGroup : unsigned char { item, warp, blocks };

// A row of the arena: the items that one block, or one warp, requests in one launch.
struct RequestRow {
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
    unsigned depth;       // 0: the root grid, or a wave of it
    unsigned first;       // the root block that a wave of the root grid begins with
    unsigned request_row; // the row of the first of its blocks
    unsigned drains;      // the list that this grid drains (spill); 0: none
    unsigned head;        // of the list of the grids that its blocks were refused (spill)
};

template <class Item>
struct RefusedGrid {
    ChildGrid<Item> grid;
    unsigned next; // the index after that of the next one in the list; 0: it is the last
};

// The arena. Its sizes come from the oracle.
template <class Item>
struct RequestMemory {
    RequestTotals* totals;
    RequestRow* rows;
    unsigned* arrived; // blocks of a group, at the index of the group's first row
    Item* items;       // row_items for each row
    unsigned* starts;  // the blocks of the items before it in its row
    RefusedGrid<Item>* refused;
    unsigned* heads; // lists of refused grids: 0, or an index + 1
};

template <class E>
struct RequestRun {
    typename E::Job job;
    RequestMemory<typename E::Item> memory;
    unsigned threshold;
    unsigned coarsen;
    unsigned group_blocks; // blocks whose items share a launch; 0: all of the grid
    unsigned max_depth;    // at which nothing is launched
    unsigned row_items;
    RequestGroup group;
    bool inline_run; // what is refused is done by the block itself
    bool spill;      // or by a tail launch
};

// Rows of the arena that the requests of a block take.
template <class E>
__device__ unsigned rows_per_block(const RequestRun<E>& run)
{
    return run.group == RequestGroup::warp ? blockDim.x / kLanes : 1;
}

// Of recursions that follow each other, each with as many root blocks: makes a root grid that of the next.
template <class E>
__device__ void next_root(const RequestRun<E>& run, ChildGrid<typename E::Item>& root)
{
    root.first += root.blocks;
    root.request_row += root.blocks * rows_per_block(run);
}

} // namespace nestbed::inline NESTBED_BACKEND
