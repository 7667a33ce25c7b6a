// What the blocks of a step of a spanning forest over a list of edges do. mst_step.hpp says which steps there are.
//
// The list has the edges that may still join two components, with the components as their ends. Components are the trees of a
// union-find forest in `component`; hook() joins their roots by compare-and-swap, without an order, because the trees'
// vertices do not depend on it. Two arrays of keys take turns: hook() reads those of this round, and the one edge that is a
// component's lightest resets the other one.
// Source: the steps are ours; a list of edges without an order, lightest edges by atomics, light edges first: Fallin,
// Gonzalez, Seo, Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023.
#pragma once

#include "workloads/mst/mst.hpp"
#include "workloads/mst/mst_step.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct MstPlan {
    MstStep step;
    unsigned blocks; // 0: done
    unsigned list;   // that hook and least read; what lists edges writes the other one
    unsigned keys;   // of this round
};

struct MstState {
    MstPlan plan;
    unsigned found; // edges that the step has listed
    unsigned arrived;
    unsigned grids; // launched after the first
    unsigned epoch; // steps that all blocks waited for
};

struct MstSearch {
    MstTask task;
    MstState* state;
    MstEdge* lists[2];
    MstKey* best[2];
    unsigned* flat; // of each vertex: its component when the step `flatten` ended
    RequestTotals* totals;
    unsigned max_blocks;
};

// In shared memory.
struct MstShared {
    unsigned first;     // place of the edges that the block lists
    unsigned continues; // the block does the next step, without the others
};

// Some items of a thread, so that what it loads of each does not wait for the others.
struct MstItems {
    std::size_t index[kMstItemsPerThread];
    bool has[kMstItemsPerThread]; // whether there is such an item; for list_edges(), whether the edge is listed

    __device__ MstItems(std::size_t base, unsigned items)
    {
        for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
            index[turn] = base + turn * blockDim.x + threadIdx.x;
            has[turn] = index[turn] < items;
        }
    }
};

// Calls act(base) for every range of items that block `block` of `blocks` has.
template <class Act>
__device__ void for_each_range(unsigned items, unsigned block, unsigned blocks, const Act& act)
{
    const std::size_t range = std::size_t{blockDim.x} * kMstItemsPerThread;
    for (std::size_t base = block * range; base < items; base += blocks * range)
        act(base);
}

// Lowers the keys of the components that the edges of a warp join. All its threads call it. Those edges whose first component is
// that of the first of them share one operation: late in a search these are most edges.
__device__ inline void lower_all(MstKey* best, const MstItems& items, const MstEdge* edges)
{
    unsigned mine = UINT32_MAX; // the first component of the thread's first edge
    for (unsigned turn = kMstItemsPerThread; turn-- > 0;)
        mine = items.has[turn] ? edges[turn].one : mine;
    const unsigned mask = __ballot_sync(0xFFFFFFFFU, mine != UINT32_MAX);
    if (mask == 0)
        return;
    const int first = __ffs(static_cast<int>(mask)) - 1;
    const unsigned common = __shfl_sync(0xFFFFFFFFU, mine, first);
    MstKey shared = kNoMstKey;
    MstKey known[kMstItemsPerThread][2];
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        const MstEdge& edge = edges[turn];
        const bool shares = edge.one == common;
        if (items.has[turn] && shares)
            shared = lesser(shared, mst_key(edge.weight, edge.number));
        known[turn][0] = items.has[turn] && !shares ? load_relaxed(&best[edge.one]) : 0;
        known[turn][1] = items.has[turn] ? load_relaxed(&best[edge.other]) : 0;
    }
    shared = min_of_warp(shared);
    if (threadIdx.x % kLanes == static_cast<unsigned>(first))
        lower(&best[common], shared);
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        const MstEdge& edge = edges[turn];
        const MstKey key = mst_key(edge.weight, edge.number);
        if (known[turn][0] > key)
            atomicMin(&best[edge.one], key);
        if (known[turn][1] > key)
            atomicMin(&best[edge.other], key);
    }
}

// Lists the edges that take(items, edges) leaves, and lowers the keys of their components.
template <class Take>
__device__ void list_edges(const MstSearch& search, const MstPlan& now, unsigned keys, unsigned block,
                           unsigned blocks, MstShared& shared, const Take& take)
{
    for_each_range(now.step.items, block, blocks, [&](std::size_t base) {
        MstItems items(base, now.step.items);
        MstEdge edges[kMstItemsPerThread];
        take(items, edges);
        unsigned mine = 0;
        for (const bool has : items.has)
            mine += has ? 1 : 0;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(mine, false, total);
        if (total == 0)
            return;
        if (threadIdx.x == 0)
            shared.first = atomicAdd(&search.state->found, static_cast<unsigned>(total));
        __syncthreads();
        std::size_t place = shared.first + before;
        for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn)
            if (items.has[turn])
                search.lists[1 - now.list][place++] = edges[turn];
        lower_all(search.best[keys], items, edges);
    });
}

// The edges of the graph that are light, or those that are not.
__device__ inline void take_by_weight(const MstTask& task, bool light, MstItems& items, MstEdge* edges)
{
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn)
        edges[turn].weight = items.has[turn] ? task.weights[items.index[turn]] : 0;
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        MstEdge& edge = edges[turn];
        edge.number = static_cast<unsigned>(items.index[turn]);
        items.has[turn] = items.has[turn] && (edge.weight <= task.light) == light;
        edge.one = items.has[turn] ? task.from[edge.number] : 0;
        edge.other = items.has[turn] ? task.to[edge.number] : 0;
    }
}

// Leaves those that join two components. The smaller number comes first: late in a search it is mostly the same.
__device__ inline void keep_outer(MstItems& items, MstEdge* edges)
{
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        MstEdge& edge = edges[turn];
        items.has[turn] = items.has[turn] && edge.one != edge.other;
        const unsigned one = edge.one;
        edge.one = one < edge.other ? one : edge.other;
        edge.other = one < edge.other ? edge.other : one;
    }
}

// Joins two components at the roots of their trees. The larger number is hooked to the smaller one.
__device__ inline void join(unsigned* components, unsigned one, unsigned other)
{
    for (;;) {
        one = root_of(components, one);
        other = root_of(components, other);
        const unsigned large = one < other ? other : one;
        const unsigned small = one < other ? one : other;
        if (atomicCAS(&components[large], large, small) == large)
            return;
    }
}

// Joins the components that the edges join which are the lightest of one of them.
__device__ inline void hook(const MstSearch& search, const MstPlan& now, const MstItems& items, const MstEdge* list)
{
    MstEdge edges[kMstItemsPerThread];
    MstKey least[kMstItemsPerThread][2];
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn)
        edges[turn] = items.has[turn] ? list[items.index[turn]] : MstEdge{};
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        least[turn][0] = search.best[now.keys][edges[turn].one];
        least[turn][1] = search.best[now.keys][edges[turn].other];
    }
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        const MstEdge& edge = edges[turn];
        const MstKey key = mst_key(edge.weight, edge.number);
        const bool of_one = items.has[turn] && least[turn][0] == key;
        const bool of_other = items.has[turn] && least[turn][1] == key;
        if (of_one)
            search.best[1 - now.keys][edge.one] = kNoMstKey;
        if (of_other)
            search.best[1 - now.keys][edge.other] = kNoMstKey;
        if (!of_one && !of_other)
            continue;
        search.task.chosen[edge.number] = 1;
        join(search.task.component, edge.one, edge.other);
    }
}

// Replaces the ends of the edges by the roots of their trees, which nobody changes now.
__device__ inline void follow(const unsigned* components, MstEdge* edges)
{
    unsigned parents[kMstItemsPerThread][2];
    for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
        parents[turn][0] = components[edges[turn].one];
        parents[turn][1] = components[edges[turn].other];
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
            const bool one = parents[turn][0] != edges[turn].one;
            const bool other = parents[turn][1] != edges[turn].other;
            edges[turn].one = parents[turn][0];
            edges[turn].other = parents[turn][1];
            if (one)
                parents[turn][0] = components[edges[turn].one];
            if (other)
                parents[turn][1] = components[edges[turn].other];
            moved = moved || one || other;
        }
    }
}

// Block `block` of `blocks` of the step. All threads call it.
__device__ inline void run_step(const MstSearch& search, const MstPlan& now, unsigned block, unsigned blocks,
                                MstShared& shared)
{
    const MstTask& task = search.task;
    const MstEdge* const list = search.lists[now.list];
    switch (now.step.phase) {
    case MstPhase::light:
        list_edges(search, now, now.keys, block, blocks, shared,
                   [&](MstItems& items, MstEdge* edges) { take_by_weight(task, true, items, edges); });
        return;
    case MstPhase::heavy:
        list_edges(search, now, now.keys, block, blocks, shared, [&](MstItems& items, MstEdge* edges) {
            take_by_weight(task, false, items, edges);
            for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
                edges[turn].one = search.flat[edges[turn].one];
                edges[turn].other = search.flat[edges[turn].other];
            }
            keep_outer(items, edges);
        });
        return;
    case MstPhase::least:
        list_edges(search, now, 1 - now.keys, block, blocks, shared, [&](MstItems& items, MstEdge* edges) {
            for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn)
                edges[turn] = items.has[turn] ? list[items.index[turn]] : MstEdge{};
            follow(task.component, edges);
            keep_outer(items, edges);
        });
        return;
    case MstPhase::hook:
        for_each_range(now.step.items, block, blocks, [&](std::size_t base) {
            const MstItems items(base, now.step.items);
            hook(search, now, items, list);
        });
        return;
    default: // flatten
        for_each_range(now.step.items, block, blocks, [&](std::size_t base) {
            const MstItems items(base, now.step.items);
            MstEdge ends[kMstItemsPerThread]; // of which only one is used
            for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn)
                ends[turn].one = items.has[turn] ? static_cast<unsigned>(items.index[turn]) : 0;
            follow(task.component, ends);
            for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
                if (!items.has[turn])
                    continue;
                search.flat[items.index[turn]] = ends[turn].one;
                search.best[now.keys][items.index[turn]] = kNoMstKey;
            }
        });
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
