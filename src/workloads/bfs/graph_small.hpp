// Small levels of a search: one block runs them, with the vertices in shared memory, one after another.
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

// Follows the few edges of one vertex per thread, and calls found(has, vertices, far) with what is reached.
template <bool Weighted, class Found>
__device__ void follow_few(const GraphSearch& search, const GraphSearchPlan& now, GraphShared& shared, unsigned first,
                           unsigned degree, unsigned value, const Found& found)
{
    const GraphTask& task = search.task;
    unsigned vertices[kEdgesPerThread]{};
    unsigned distances[kEdgesPerThread]{};
    bool has[kEdgesPerThread];
    bool is_far[kEdgesPerThread];
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) {
        has[turn] = turn < degree;
        vertices[turn] = has[turn] ? task.ends[first + turn] : 0;
        distances[turn] = Weighted && has[turn] ? longer_by(task, value, first + turn) : now.level + 1;
    }
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) { // atomic operations on global memory are slow
        if constexpr (Weighted)
            has[turn] = has[turn] && load_in_block(&task.distance[vertices[turn]]) > distances[turn];
        else
            has[turn] = has[turn] && is_new(shared, vertices[turn]);
    }
    for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) {
        has[turn] =
            has[turn] && reaches<Weighted>(search, vertices[turn], distances[turn], now.bound, now.level + 1, false);
        is_far[turn] = Weighted && has[turn] && distances[turn] >= now.bound;
        has[turn] = has[turn] && !is_far[turn];
    }
    found(has, vertices);
    if constexpr (Weighted)
        for (unsigned turn = 0; turn < kEdgesPerThread; ++turn)
            append_far(search, now.far, is_far[turn], vertices[turn]);
}

// Runs levels in this block, with the vertices in shared memory, until one is too large or none is left. All threads call it.
// Returns the level whose list it made, if it made one.
template <bool Weighted>
__device__ unsigned small_levels(const GraphSearch& search, GraphSearchPlan now, GraphShared& shared)
{
    const GraphTask& task = search.task;
    unsigned* current = shared.stage;
    unsigned* next = shared.stage + kSmallVertices;
    unsigned count = now.items;
    unsigned long long looked = 0;
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x)
        current[index] = search.lists[now.list][index].vertex;
    if constexpr (!Weighted)
        for (unsigned index = threadIdx.x; index < kHistory; index += blockDim.x)
            shared.history[index] = kUnreached;
    if (threadIdx.x < 2)
        shared.small[threadIdx.x] = {};
    __syncthreads();
    for (;; ++now.level) {
        SmallCounts& counts = shared.small[now.level % 2];
        unsigned edges = 0;
        unsigned first = 0; // the edges of the thread's first vertex
        unsigned degree = 0;
        bool wide = false;
        for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
            const unsigned begin = task.starts[current[index]];
            const unsigned own = task.starts[current[index] + 1] - begin;
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
            shared.small[1 - now.level % 2] = {}; // all have read those of the last level
        if (counts.edges > kSmallEdges) {
            append_vertices(search, 1 - now.list, shared, count, [&](unsigned index) { return current[index]; });
            break;
        }
        looked += counts.edges;
        const auto keep = [&](bool has, unsigned place, unsigned vertex) {
            if (has && place < kSmallVertices)
                next[place] = vertex;
            else if (has)
                search.lists[now.list][place].vertex = vertex; // this list has been read
        };
        for (unsigned base = 0; base < count; base += blockDim.x) {
            const unsigned index = base + threadIdx.x;
            const unsigned vertex = index < count ? current[index] : 0;
            if (base != 0) {
                first = task.starts[vertex];
                degree = index < count ? task.starts[vertex + 1] - first : 0;
            }
            const unsigned value = Weighted && index < count ? load_relaxed(&task.distance[vertex]) : 0;
            if (counts.wide == 0) { // no thread has many edges
                follow_few<Weighted>(search, now, shared, first, degree, value,
                                     [&](const auto& has, const auto& vertices) {
                                         unsigned places[kEdgesPerThread]{};
                                         places_in(&counts.found, has, places);
                                         for (unsigned turn = 0; turn < kEdgesPerThread; ++turn)
                                             keep(has[turn], places[turn], vertices[turn]);
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
                [&](bool reached, unsigned to, bool is_far) {
                    const bool is_near = reached && !is_far;
                    keep(is_near, place_in(&counts.found, is_near), to);
                    if constexpr (Weighted)
                        append_far(search, now.far, is_far, to);
                },
                [] {});
            __syncthreads();
        }
        __syncthreads();
        count = counts.found;
        if (count > kSmallVertices) {
            ++now.level;
            append_vertices(search, 1 - now.list, shared, count, [&](unsigned index) {
                return index < kSmallVertices ? next[index] : search.lists[now.list][index].vertex;
            });
            break;
        }
        if (count == 0)
            break;
        unsigned* const swapped = current;
        current = next;
        next = swapped;
    }
    if (threadIdx.x == 0)
        atomicAdd(&task.totals->work, looked);
    return now.level;
}

} // namespace nestbed::inline NESTBED_BACKEND
