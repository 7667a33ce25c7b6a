// The steps of a spanning forest over a list of edges (mst_step.hpp): what the blocks of a step do, which step is next, and
// the start.
//
// The list has the edges that may still join two components, with the components as their ends. Components are the trees of a
// union-find forest in `component`; hook() joins their roots by compare-and-swap, without an order, because the trees'
// vertices do not depend on it. Two arrays of keys take turns: hook() reads those of this round, and the one edge that is a
// component's lightest resets the other one.
// Source: the steps are ours; a list of edges without an order, lightest edges by atomics, light edges first: Fallin,
// Gonzalez, Seo, Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023.
#pragma once

#include "device/parts/in_block.hpp"
#include "workloads/mst/mst.hpp"
#include "workloads/mst/mst_step.hpp"

#include <algorithm>
#include <span>

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
    RequestTotals* totals;
    unsigned most_blocks;
};

// In shared memory.
struct MstShared {
    unsigned first; // place of the edges that the block lists
    unsigned last;
    unsigned continues;
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
        const ItemsAndBlocks before = sum_before(mine, false, total);
        if (total == 0)
            return;
        if (threadIdx.x == 0)
            shared.first = atomicAdd(&search.state->found, static_cast<unsigned>(total));
        __syncthreads();
        std::size_t place = shared.first + before;
        for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
            const MstEdge& edge = edges[turn];
            const MstKey key = mst_key(edge.weight, edge.number);
            if (items.has[turn])
                search.lists[1 - now.list][place++] = edge;
            lower_of_warp(search.best[keys], items.has[turn], edge.one, key);
            if (items.has[turn])
                lower(&search.best[keys][edge.other], key);
        }
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

// The vertex learns its component. Chains stay: a thread that halves one could undo what another has stored.
__device__ inline void flatten(const MstSearch& search, const MstPlan& now, unsigned vertex)
{
    unsigned* const components = search.task.component;
    unsigned root = vertex;
    for (unsigned parent = root; (parent = load_relaxed(&components[root])) != root;)
        root = parent;
    store_relaxed(&components[vertex], root);
    search.best[now.keys][vertex] = kNoMstKey;
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
    case MstPhase::heavy: // nobody changes the components, and each vertex knows its own
        list_edges(search, now, now.keys, block, blocks, shared, [&](MstItems& items, MstEdge* edges) {
            take_by_weight(task, false, items, edges);
            for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
                edges[turn].one = task.component[edges[turn].one];
                edges[turn].other = task.component[edges[turn].other];
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
            for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn)
                if (items.has[turn])
                    flatten(search, now, static_cast<unsigned>(items.index[turn]));
        });
    }
}

// Which step is next, by one thread after all blocks of the step `now`.
__device__ inline void plan_step(const MstSearch& search, const MstPlan& now, unsigned threads)
{
    MstState& state = *search.state;
    const MstTask& task = search.task;
    MstPlan next = now;
    next.step = step_after(now.step, state.found, task.vertices, task.edges, task.light != UINT32_MAX);
    if (now.step.phase == MstPhase::least)
        next.keys = 1 - now.keys;
    if (next.step.phase == MstPhase::hook)
        next.list = 1 - now.list;
    state.found = 0;
    const unsigned blocks = mst_blocks(next.step.items, threads);
    next.blocks = next.step.phase == MstPhase::done ? 0 : blocks < search.most_blocks ? blocks : search.most_blocks;
    state.plan = next;
}

// Whether this block is the last of the step. All threads call it. Then it sees what all blocks wrote.
__device__ inline bool is_last_block(const MstSearch& search, unsigned blocks, MstShared& shared)
{
    __syncthreads();
    if (blocks == 1)
        return true;
    if (threadIdx.x == 0)
        shared.last = arrives_last(&search.state->arrived, blocks) ? 1 : 0;
    __syncthreads();
    return shared.last != 0;
}

// The buffers of a search, and its start.
struct MstSetup {
    Buffer<MstState> state;
    Buffer<MstEdge> lists[2];
    Buffer<MstKey> best[2];
    MstSearch search;
    std::uint32_t first_blocks; // of the first grid, which the host launches
};

inline MstSetup set_up_search(const MstJob& job, std::uint32_t most_blocks)
{
    const MstTask& task = job.task;
    const auto edges = [&](std::string_view name) { return filled_buffer<MstEdge>(job, task.edges, 0, name); };
    const auto keys = [&](std::string_view name) { return filled_buffer<MstKey>(job, task.vertices, 0xFF, name); };
    MstSetup setup{filled_buffer<MstState>(job, 1, 0, "search"),
                   {edges("even_list"), edges("odd_list")},
                   {keys("even_best"), keys("odd_best")},
                   {},
                   0};
    setup.search = {.task = task,
                    .state = setup.state.data(),
                    .lists = {setup.lists[0].data(), setup.lists[1].data()},
                    .best = {setup.best[0].data(), setup.best[1].data()},
                    .totals = job.totals,
                    .most_blocks = std::max(1U, most_blocks)};
    setup.first_blocks = std::min(setup.search.most_blocks, mst_blocks(task.edges, job.point.block));
    const MstState start{
        .plan = {.step = {MstPhase::light, task.edges, 0}, .blocks = setup.first_blocks, .list = 0, .keys = 0}};
    job.context.upload(setup.state, std::span<const MstState>(&start, 1));
    return setup;
}

#ifdef __CUDACC__
// A search whose steps are the runs of a graph.
struct CapturedMst {
    MstSetup setup;
    Graph graph;
};
#endif

} // namespace nestbed::inline NESTBED_BACKEND
