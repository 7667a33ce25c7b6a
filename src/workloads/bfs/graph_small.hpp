// Small levels of a search: one block runs them, with the vertices in shared memory, one after another; or each block does some, with
// those that it has reached itself.
#pragma once

#include "workloads/bfs/graph_levels.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Whether this block did not test the vertex lately. A vertex that it tested has been reached.
// Source: Merrill, Garland, Grimshaw, PPoPP 2012 ("history culling").
__device__ inline bool is_new(GraphShared& shared, unsigned vertex)
{
    return atomicExch(&shared.history[vertex % kHistory], vertex) != vertex;
}

// Follows the few edges of one vertex per thread, and calls found(has, vertices, distances) with what is reached.
template <bool Weighted, class Found>
__device__ void follow_few(const GraphSearch& search, const GraphSearchPlan& now, GraphShared& shared, unsigned first,
                           unsigned degree, unsigned value, const Found& found)
{
    const GraphTask& task = search.task;
    unsigned vertices[kEdgesPerThread]{};
    unsigned distances[kEdgesPerThread]{};
    bool has[kEdgesPerThread];
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) {
        has[turn] = turn < degree;
        vertices[turn] = has[turn] ? task.ends[first + turn] : 0;
        distances[turn] = Weighted && has[turn] ? longer_by(task, value, first + turn) : now.level + 1;
    }
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) { // atomic operations on global memory are slow
        if constexpr (!Weighted)
            has[turn] = has[turn] && is_new(shared, vertices[turn]);
        else if (!search.has_rounds()) // they wait for memory, not for the operations
            has[turn] = has[turn] && load_in_block(&task.distance[vertices[turn]]) > distances[turn];
    }
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn)
        has[turn] = has[turn] && reaches<Weighted>(search, vertices[turn], distances[turn], false);
    bool near[kEdgesPerThread];
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn)
        near[turn] = has[turn] && (!Weighted || distances[turn] < now.bound);
    found(near, vertices, distances);
    if constexpr (Weighted)
        for (unsigned turn = 0; turn < kEdgesPerThread; ++turn)
            append_far(search, now.far, has[turn] && !near[turn], vertices[turn]);
}

inline constexpr unsigned kRounds = 32; // of a block, with what it has reached

// Runs levels in this block, with the vertices in shared memory, until one is too large or none is left. All threads call it.
// Returns the level whose list it made, if it made one. The vertices are those of the list; or, if `together`, those on the block's
// stage. Other blocks do the same at the same time, and after some rounds the vertices that are left go to all blocks: this spares
// most of the steps, between which all wait for each other. Vertices of many edges end it: they are for all.
// Source: the rounds of a thread in one bucket, Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", CGO 2020.
template <bool Weighted>
__device__ unsigned small_levels(const GraphSearch& search, GraphSearchPlan now, GraphShared& shared,
                                 bool together = false)
{
    const GraphTask& task = search.task;
    unsigned current = 0; // place of the level on the stage
    unsigned next = kSmallVertices;
    unsigned count = together ? shared.staged : now.items;
    unsigned long long looked = 0;
    for (unsigned index = threadIdx.x; index < count && !together; index += blockDim.x) {
        shared.stage[index] = search.lists[now.list][index].vertex;
        if constexpr (Weighted)
            shared.distances()[index] = load_relaxed(&task.distance[shared.stage[index]]);
    }
    if constexpr (!Weighted)
        for (unsigned index = threadIdx.x; index < kHistory; index += blockDim.x)
            shared.history[index] = kUnreached;
    if (threadIdx.x < 2)
        shared.small[threadIdx.x] = {};
    __syncthreads();
    // What a level reaches must fit where others read the list at the same time.
    const unsigned max_edges = together ? kSmallVertices : kSmallEdges;
    // The edges of a vertex of the level, from `first` on; 0 if its path has become shorter.
    const auto degree_of = [&](unsigned index, unsigned& first) {
        const unsigned vertex = shared.stage[current + index];
        first = task.starts[vertex];
        if constexpr (Weighted)
            if (load_relaxed(&task.distance[vertex]) != shared.distances()[current + index])
                return 0U;
        return task.starts[vertex + 1] - first;
    };
    for (unsigned round = 0;; ++round) {
        SmallCounts& counts = shared.small[round % 2];
        unsigned edges = 0;
        unsigned first = 0; // the edges of the thread's first vertex
        unsigned degree = 0;
        bool wide = false;
        for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
            unsigned begin = 0;
            const unsigned own = degree_of(index, begin);
            first = index == threadIdx.x ? begin : first;
            degree = index == threadIdx.x ? own : degree;
            edges += own;
            wide = wide || own > kEdgesPerThread;
        }
        add_of_warp(&counts.edges, edges);
        if (wide)
            atomicMax(&counts.wide, 1U);
        __syncthreads();
        if (threadIdx.x == 0)
            shared.small[1 - round % 2] = {}; // all have read those of the last level
        const bool is_few = search.has_rounds() && !together && counts.wide == 0; // for few blocks, but not for one
        if (counts.edges > (is_few ? kFewEdges : max_edges) || (together && (counts.wide != 0 || round == kRounds))) {
            append_stage<Weighted>(search, now, shared, count, current);
            break;
        }
        looked += counts.edges;
        const auto keep = [&](bool has, unsigned place, unsigned vertex, unsigned distance) {
            if (has && place < kSmallVertices) {
                shared.stage[next + place] = vertex;
                if constexpr (Weighted)
                    shared.distances()[next + place] = distance;
            } else if (has) {
                search.lists[now.list][place] = {vertex, distance}; // this list has been read
            }
        };
        for (unsigned base = 0; base < count; base += blockDim.x) {
            const unsigned index = base + threadIdx.x;
            if (base != 0)
                degree = index < count ? degree_of(index, first) : 0;
            const unsigned value = Weighted && index < count ? shared.distances()[current + index] : 0;
            if (counts.wide == 0) { // no thread has many edges
                follow_few<Weighted>(search, now, shared, first, degree, value,
                                     [&](const auto& has, const auto& vertices, const auto& distances) {
                                         unsigned places[kEdgesPerThread]{};
                                         places_in(&counts.found, has, places);
                                         for (unsigned turn = 0; turn < kEdgesPerThread; ++turn)
                                             keep(has[turn], places[turn], vertices[turn], distances[turn]);
                                     });
                continue;
            }
            ItemsAndBlocks total = 0;
            const ItemsAndBlocks before = exclusive_scan(degree, false, total);
            shared.starts[threadIdx.x] = static_cast<unsigned>(before);
            shared.firsts[threadIdx.x] = first;
            shared.values[threadIdx.x] = value;
            __syncthreads();
            follow_edges<Weighted>(
                search, now, shared, blockDim.x, 0, static_cast<unsigned>(total),
                [&](bool reached, unsigned to, unsigned distance) {
                    const bool is_near = reached && (!Weighted || distance < now.bound);
                    keep(is_near, place_in(&counts.found, is_near), to, distance);
                    if constexpr (Weighted)
                        append_far(search, now.far, reached && !is_near, to);
                },
                [] {});
            __syncthreads();
        }
        __syncthreads();
        count = counts.found;
        if (count == 0)
            break;
        if constexpr (!Weighted)
            ++now.level; // as long as the paths of the next level
        if (count > kSmallVertices) {
            const auto one = [&](unsigned index) {
                return index < kSmallVertices
                           ? ListedVertex{shared.stage[next + index], shared.distances()[next + index]}
                           : search.lists[now.list][index];
            };
            append_vertices(
                search, 1 - now.list, shared, count, [&](unsigned index) { return one(index).vertex; },
                [&](unsigned vertex, unsigned index) {
                    return !Weighted || is_for_list(search, vertex, one(index).start, now.level + 1);
                });
            break;
        }
        const unsigned swapped = current;
        current = next;
        next = swapped;
    }
    if (threadIdx.x == 0)
        atomicAdd(&task.totals->work, looked);
    return Weighted ? now.level + 1 : now.level;
}

} // namespace nestbed::inline NESTBED_BACKEND
