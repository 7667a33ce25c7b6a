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

// Lists the edges for which take(index, edge) is true, of those with indices below `items`, and lowers the keys of their
// components.
template <class Take>
__device__ void list_edges(const MstSearch& search, const MstPlan& now, unsigned keys, unsigned block,
                           unsigned blocks, MstShared& shared, const Take& take)
{
    const unsigned items = now.step.items;
    const std::size_t stride = std::size_t{blocks} * blockDim.x * kMstItemsPerThread;
    for (std::size_t base = std::size_t{block} * blockDim.x * kMstItemsPerThread; base < items; base += stride) {
        MstEdge edges[kMstItemsPerThread];
        bool has[kMstItemsPerThread];
        unsigned mine = 0;
        for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
            const std::size_t index = base + turn * blockDim.x + threadIdx.x;
            has[turn] = index < items && take(static_cast<unsigned>(index), edges[turn]);
            mine += has[turn] ? 1 : 0;
        }
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = sum_before(mine, false, total);
        if (total == 0)
            continue;
        if (threadIdx.x == 0)
            shared.first = atomicAdd(&search.state->found, static_cast<unsigned>(total));
        __syncthreads();
        std::size_t place = shared.first + before;
        for (unsigned turn = 0; turn < kMstItemsPerThread; ++turn) {
            if (!has[turn])
                continue;
            const MstEdge& edge = edges[turn];
            search.lists[1 - now.list][place++] = edge;
            const MstKey key = mst_key(edge.weight, edge.number);
            lower(&search.best[keys][edge.one], key);
            lower(&search.best[keys][edge.other], key);
        }
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

// Block `block` of `blocks` of the step. All threads call it.
__device__ inline void run_step(const MstSearch& search, const MstPlan& now, unsigned block, unsigned blocks,
                                MstShared& shared)
{
    const MstTask& task = search.task;
    const MstEdge* const list = search.lists[now.list];
    const std::size_t stride = std::size_t{blocks} * blockDim.x;
    const std::size_t first = std::size_t{block} * blockDim.x + threadIdx.x;
    switch (now.step.phase) {
    case MstPhase::light:
        list_edges(search, now, now.keys, block, blocks, shared, [&](unsigned number, MstEdge& edge) {
            const unsigned weight = task.weights[number];
            if (weight > task.light)
                return false;
            edge = {task.from[number], task.to[number], weight, number};
            return true;
        });
        return;
    case MstPhase::heavy: // nobody changes the components, and each vertex knows its own
        list_edges(search, now, now.keys, block, blocks, shared, [&](unsigned number, MstEdge& edge) {
            const unsigned weight = task.weights[number];
            if (weight <= task.light)
                return false;
            edge = {task.component[task.from[number]], task.component[task.to[number]], weight, number};
            return edge.one != edge.other;
        });
        return;
    case MstPhase::least:
        list_edges(search, now, 1 - now.keys, block, blocks, shared, [&](unsigned index, MstEdge& edge) {
            edge = list[index];
            edge.one = root_of(task.component, edge.one);
            edge.other = root_of(task.component, edge.other);
            return edge.one != edge.other;
        });
        return;
    case MstPhase::hook:
        for (std::size_t index = first; index < now.step.items; index += stride) {
            const MstEdge edge = list[index];
            const MstKey key = mst_key(edge.weight, edge.number);
            const bool of_one = search.best[now.keys][edge.one] == key;
            const bool of_other = search.best[now.keys][edge.other] == key;
            if (of_one)
                search.best[1 - now.keys][edge.one] = kNoMstKey;
            if (of_other)
                search.best[1 - now.keys][edge.other] = kNoMstKey;
            if (!of_one && !of_other)
                continue;
            task.chosen[edge.number] = 1;
            join(task.component, edge.one, edge.other);
        }
        return;
    default: // flatten
        for (std::size_t vertex = first; vertex < now.step.items; vertex += stride) {
            unsigned root = static_cast<unsigned>(
                vertex); // chains stay: a thread that halves one could undo what another has stored
            for (unsigned parent = root; (parent = load_relaxed(&task.component[root])) != root;)
                root = parent;
            store_relaxed(&task.component[vertex], root);
            search.best[now.keys][vertex] = kNoMstKey;
        }
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
