// A search level by level: the lists of vertices, and what a block does in a level. The forms differ in who starts a level.
//
// A list has the vertices of a level, each with the number of edges before it in the list. Both come from one atomic addition,
// so that a level can be divided evenly by edges without a pass over the list. A block takes a range of edges and searches
// for the vertex of each. What it reaches first, it collects in shared memory, and appends to the next list.
// With `directions` a level of many edges goes the other way: every vertex that was not reached looks for a neighbour
// in the level, and stops at the first.
// Shortest paths (`weights`) have a list of far vertices besides: those at distances of at least `bound`. They are
// divided again when no near ones are left (near-far). What a block reaches, it collects with its distance: who shortens a path
// answers for it, so that another block may shorten it again at any time; then the longer one is dropped.
// Source: Merrill, Garland, Grimshaw, "Scalable GPU Graph Traversal", PPoPP 2012; Beamer, Asanovic, Patterson,
// "Direction-Optimizing Breadth-First GraphSearch", SC 2012; Davidson et al., "Work-Efficient Parallel GPU Methods for
// Single-Source Shortest Paths", IPDPS 2014.
#pragma once

#include "device/parts/in_block.hpp"
#include "workloads/bfs/graph.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct ListedVertex {
    unsigned vertex;
    unsigned start; // edges of the vertices before it in the list
};

// The step that runs. Only the last block of a step writes it, for the next one.
struct GraphSearchPlan {
    StepMode mode;
    unsigned level;
    unsigned list; // which of the two lists the step reads
    unsigned items;
    unsigned edges;
    unsigned blocks;     // that the step needs
    unsigned unexplored; // edges of vertices that no list had
    unsigned bound;      // distances below are near
    unsigned settled;    // distances below are final
    unsigned far;        // which of the two lists has the far vertices
    unsigned far_read;   // split: vertices in the other one
};

// The state of a search, on the device. Blocks change what is outside the plan during a step.
struct GraphSearchState {
    GraphSearchPlan plan;
    ItemsAndBlocks found; // vertices (upper half) and edges of the list that this step makes
    unsigned arrived;
    unsigned far_count;          // vertices in the list of far vertices
    unsigned far_least;          // split: the least distance that stays far
    unsigned grids;              // that were wanted
    unsigned reached;            // the level that small levels ended with (waiting)
    alignas(128) unsigned epoch; // of waiting blocks, which read it without pause; a cache line of its own
};

struct GraphSearch {
    GraphTask task;
    GraphSearchState* state;
    ListedVertex* lists[2];
    unsigned* far[2];
    unsigned* listed; // sssp: by vertex, the list that it was in last, by the step that reads it
    unsigned* is_far; // sssp: by vertex, 1 if it is in the list of far vertices
    unsigned max_blocks;
    unsigned delta;  // sssp: width of a range of near distances; 0: all are near
    bool small;      // small levels are done by one block
    bool directions; // bottom-up where it looks at fewer edges

    // Whether each block goes on for some rounds with what it has reached (workloads/bfs/graph_small.hpp).
    __device__ bool has_rounds() const { return delta != 0; }
};

// What a small level counts.
struct SmallCounts {
    unsigned found; // vertices of the next level
    unsigned wide;  // not 0: a vertex has more edges than a thread follows alone
    unsigned edges;
};

// Shared memory of a block.
inline constexpr unsigned kStagedVertices = 2 * kSmallVertices; // vertices that were reached
inline constexpr unsigned kTileVertices = 1024;                 // vertices whose edges the block works on
inline constexpr unsigned kHistory = kStagedVertices;           // bfs: vertices that small levels tested lately
struct GraphShared {
    ItemsAndBlocks place;
    SmallCounts small[2]; // of levels with even and with odd numbers
    unsigned stage[kStagedVertices];
    unsigned starts[kTileVertices];
    unsigned firsts[kTileVertices];
    unsigned values[kTileVertices];
    unsigned history[kHistory]; // bfs
    unsigned staged;            // vertices in the stage
    unsigned found_at;          // find_vertex()
    unsigned worked;
    unsigned continues; // the block does the next step, without the others
    unsigned staying;   // blocks that go on (waiting)

    // sssp: of the vertices on the stage. A search has these or a history.
    __device__ unsigned* distances() { return history; }
};

// Whether a path of this length is the first, or the shortest yet, to the vertex.
// check: look before the atomic operation, which pays where most vertices have been reached.
template <bool Weighted>
__device__ bool reaches(const GraphSearch& search, unsigned vertex, unsigned distance, bool check)
{
    unsigned* at = &search.task.distance[vertex];
    if constexpr (!Weighted) {
        if (check && load_relaxed(at) != kUnreached)
            return false;
        return atomicCAS(at, kUnreached, distance) == kUnreached;
    } else {
        if (check && load_relaxed(at) <= distance)
            return false;
        return atomicMin(at, distance) > distance;
    }
}

// Appends far vertices, unless they are in the list; all threads of the warp call it.
__device__ inline void append_far(const GraphSearch& search, unsigned list, bool is_far, unsigned vertex)
{
    is_far = is_far && atomicExch(&search.is_far[vertex], 1U) == 0;
    const unsigned place = place_in(&search.state->far_count, is_far);
    if (is_far)
        search.far[list][place] = vertex;
}

// Appends `count` vertices, for which keeps(vertex_at(index), index) is true, to the list, without those that have no edges. All threads
// of the block call it, after a barrier; it ends with one, and the stage is empty. `Shared` has `place` and `staged`, as GraphShared.
template <class Shared, class VertexAt, class Keeps>
__device__ void append_vertices(const GraphSearch& search, unsigned list, Shared& shared, unsigned count,
                                const VertexAt& vertex_at, const Keeps& keeps)
{
    for (unsigned base = 0; base < count; base += blockDim.x) {
        const unsigned index = base + threadIdx.x;
        const unsigned vertex = index < count ? vertex_at(index) : 0;
        const unsigned edges = index < count ? search.task.starts[vertex + 1] - search.task.starts[vertex] : 0;
        const unsigned degree = edges != 0 && keeps(vertex, index) ? edges : 0;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(degree == 0 ? 0 : 1ULL << kItemsShift | degree, false, total);
        if (threadIdx.x == 0)
            shared.place = atomicAdd(&search.state->found, total);
        __syncthreads();
        const ItemsAndBlocks at = shared.place + before;
        if (degree != 0)
            search.lists[list][at >> kItemsShift] = {vertex, static_cast<unsigned>(at)};
    }
    if (threadIdx.x == 0 && count != 0)
        shared.staged = 0;
    __syncthreads();
}

// Whether a path of this length is still the shortest to a vertex that is not in the list of step `step` yet, and is so now.
__device__ inline bool is_for_list(const GraphSearch& search, unsigned vertex, unsigned distance, unsigned step)
{
    return load_relaxed(&search.task.distance[vertex]) == distance &&
           atomicExch(&search.listed[vertex], step) != step;
}

// Appends the vertices of the stage to the next list; all threads of the block call it, after a barrier.
template <bool Weighted>
__device__ void append_stage(const GraphSearch& search, const GraphSearchPlan& now, GraphShared& shared,
                             unsigned count, unsigned first = 0)
{
    append_vertices(
        search, 1 - now.list, shared, count, [&](unsigned index) { return shared.stage[first + index]; },
        [&](unsigned vertex, unsigned index) {
            return !Weighted || is_for_list(search, vertex, shared.distances()[first + index], now.level + 1);
        });
}

// The last vertex of the list with at most `edge` edges before it. All threads of the block call it.
__device__ inline unsigned find_vertex(const ListedVertex* list, unsigned items, unsigned edge, GraphShared& shared)
{
    unsigned low = 0;
    for (unsigned count = items; count > 1;) {
        const unsigned step = (count - 1) / blockDim.x + 1;
        const unsigned at = threadIdx.x * step;
        if (at < count && list[low + at].start <= edge && (at + step >= count || list[low + at + step].start > edge))
            shared.found_at = at;
        __syncthreads();
        const unsigned found = shared.found_at;
        __syncthreads();
        low += found;
        count = count - found < step ? count - found : step;
    }
    return low;
}

// Follows the edges begin to end - 1 of the `count` vertices of the tile, and calls found(reached, vertex, distance) in every thread
// for each of them, and after() in all threads of the block now and then. All threads of the block call it.
template <bool Weighted, class Found, class After>
__device__ void follow_edges(const GraphSearch& search, const GraphSearchPlan& now, const GraphShared& shared,
                             unsigned count, unsigned begin, unsigned end, const Found& found, const After& after)
{
    for (; begin < end; begin += kEdgesPerThread * blockDim.x) {
        unsigned vertices[kEdgesPerThread]{};
        unsigned distances[kEdgesPerThread]{};
        bool valid[kEdgesPerThread];
        for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) {
            const unsigned edge = begin + turn * blockDim.x + threadIdx.x;
            valid[turn] = edge < end;
            if (!valid[turn])
                continue;
            const unsigned of = upper_bound(count, edge, [&](unsigned at) { return shared.starts[at]; }) - 1;
            const unsigned place = shared.firsts[of] + (edge - shared.starts[of]);
            vertices[turn] = search.task.ends[place];
            distances[turn] = Weighted ? longer_by(search.task, shared.values[of], place) : now.level + 1;
        }
        for (unsigned turn = 0; turn < kEdgesPerThread; ++turn) {
            const bool reached = valid[turn] && reaches<Weighted>(search, vertices[turn], distances[turn], true);
            found(reached, vertices[turn], distances[turn]);
        }
        after();
    }
}

// Stages what was reached; all threads of the block call it.
template <bool Weighted>
__device__ void stage_found(const GraphSearch& search, const GraphSearchPlan& now, GraphShared& shared, bool reached,
                            unsigned vertex, unsigned distance)
{
    const bool is_far = Weighted && distance >= now.bound;
    const unsigned place = place_in(&shared.staged, reached && !is_far);
    if (reached && !is_far) {
        shared.stage[place] = vertex;
        if constexpr (Weighted)
            shared.distances()[place] = distance;
    }
    if constexpr (Weighted)
        append_far(search, now.far, reached && is_far, vertex);
}

// Makes room for `more` staged vertices. All threads of the block call it.
template <bool Weighted>
__device__ void make_room(const GraphSearch& search, const GraphSearchPlan& now, GraphShared& shared, unsigned more)
{
    __syncthreads();
    const unsigned staged = shared.staged;
    __syncthreads();
    if (staged + more > kStagedVertices)
        append_stage<Weighted>(search, now, shared, staged);
}

// A tile of vertices of a list, from vertex `first` on.
template <bool Weighted>
__device__ void load_tile(const GraphSearch& search, const ListedVertex* list, unsigned first, unsigned count,
                          GraphShared& shared)
{
    if (threadIdx.x < count) {
        const ListedVertex one = list[first + threadIdx.x];
        shared.starts[threadIdx.x] = one.start;
        shared.firsts[threadIdx.x] = search.task.starts[one.vertex];
        if constexpr (Weighted)
            shared.values[threadIdx.x] = load_relaxed(&search.task.distance[one.vertex]);
    }
    __syncthreads();
}

// Block `block` of `blocks` of a level: its part of the edges.
template <bool Weighted>
__device__ void top_down(const GraphSearch& search, const GraphSearchPlan& now, unsigned block, unsigned blocks,
                         GraphShared& shared)
{
    const ListedVertex* list = search.lists[now.list];
    const unsigned share = now.edges == 0 ? 1 : (now.edges - 1) / blocks + 1;
    if (now.edges == 0 || block > (now.edges - 1) / share)
        return;
    unsigned begin = block * share;
    const unsigned end = now.edges - begin < share ? now.edges : begin + share;
    if (threadIdx.x == 0)
        atomicAdd(&search.task.totals->work, static_cast<unsigned long long>(end - begin));
    unsigned item = find_vertex(list, now.items, begin, shared);
    while (begin < end) {
        const unsigned count = now.items - item < blockDim.x ? now.items - item : blockDim.x;
        load_tile<Weighted>(search, list, item, count, shared);
        unsigned tile_end = item + count < now.items ? list[item + count].start : now.edges;
        tile_end = tile_end < end ? tile_end : end;
        follow_edges<Weighted>(
            search, now, shared, count, begin, tile_end,
            [&](bool reached, unsigned vertex, unsigned distance) {
                stage_found<Weighted>(search, now, shared, reached, vertex, distance);
            },
            [&] { make_room<Weighted>(search, now, shared, kEdgesPerThread * blockDim.x); });
        begin = tile_end;
        item += count;
    }
}

// Whether an edge leads to the vertex from the current level. The edges `edge` to `end` - 1 lead to it; edge moves on.
__device__ inline bool finds_parent(const GraphTask& task, unsigned level, unsigned& edge, unsigned end)
{
    while (edge < end)
        if (load_relaxed(&task.distance[task.in_ends[edge++]]) == level)
            return true;
    return false;
}

// Block `block` of `blocks` of a level from below: every vertex that was not reached looks for a vertex of the level. A thread
// looks at up to 32 edges; the warp shares the others.
__device__ inline void bottom_up(const GraphSearch& search, const GraphSearchPlan& now, unsigned block,
                                 unsigned blocks, GraphShared& shared)
{
    const GraphTask& task = search.task;
    if (threadIdx.x == 0)
        shared.worked = 0;
    __syncthreads();
    unsigned looked = 0;
    for (unsigned base = block * blockDim.x; base < task.vertices; base += blocks * blockDim.x) {
        const unsigned vertex = base + threadIdx.x;
        unsigned edge = 0;
        unsigned end = 0;
        if (vertex < task.vertices && load_relaxed(&task.distance[vertex]) == kUnreached) {
            edge = task.in_starts[vertex];
            end = task.in_starts[vertex + 1];
        }
        const unsigned first = edge;
        const unsigned own_end = end - edge > kLanes ? edge + kLanes : end;
        bool found = finds_parent(task, now.level, edge, own_end);
        looked += edge - first;
        const unsigned lane = threadIdx.x % kLanes;
        for (unsigned left = __ballot_sync(0xFFFFFFFFU, !found && edge < end); left != 0; left &= left - 1) {
            const int owner = __ffs(static_cast<int>(left)) - 1;
            const unsigned its_end = __shfl_sync(0xFFFFFFFFU, end, owner);
            bool here = false;
            for (unsigned at = __shfl_sync(0xFFFFFFFFU, edge, owner) + lane; at - lane < its_end && !here;
                 at += kLanes) {
                const bool mine = at < its_end && load_relaxed(&task.distance[task.in_ends[at]]) == now.level;
                looked += at < its_end ? 1 : 0;
                here = __any_sync(0xFFFFFFFFU, mine) != 0;
            }
            found = found || (here && lane == static_cast<unsigned>(owner));
        }
        if (found)
            store_relaxed(&task.distance[vertex], now.level + 1);
        stage_found<false>(search, now, shared, found, vertex, now.level + 1);
        make_room<false>(search, now, shared, blockDim.x);
    }
    add_of_warp(&shared.worked, looked);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&task.totals->work, static_cast<unsigned long long>(shared.worked));
}

// Block `block` of `blocks` of the far vertices: those that are near now go to the next list, others stay, and those that were
// near before are dropped.
__device__ inline void split_far(const GraphSearch& search, const GraphSearchPlan& now, unsigned block,
                                 unsigned blocks, GraphShared& shared)
{
    for (unsigned base = block * blockDim.x; base < now.far_read; base += blocks * blockDim.x) {
        const unsigned index = base + threadIdx.x;
        const unsigned vertex = index < now.far_read ? search.far[1 - now.far][index] : 0;
        const unsigned distance = index < now.far_read ? load_relaxed(&search.task.distance[vertex]) : 0;
        const bool stays = index < now.far_read && distance >= now.bound;
        const bool near = index < now.far_read && !stays && distance >= now.settled;
        if (index < now.far_read)
            store_relaxed(&search.is_far[vertex], 0U); // in the other list
        min_of_warp(&search.state->far_least, stays ? distance : kUnreached);
        stage_found<true>(search, now, shared, near || stays, vertex, distance);
        make_room<true>(search, now, shared, blockDim.x);
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
