// A breadth-first search with a bit for every vertex that has been reached: its memory, and what the blocks of a grid do in a level.
//
// The edges of the vertices of a level are a list of ranges of at most kRangeEdges edges, so that nobody has to search for the
// vertex of an edge, and an edge of a hub costs no more than any other.
#pragma once

#include "workloads/bfs/graph_small.hpp"

#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kRangeEdges = 64;
inline constexpr unsigned kRangeThreads = 8; // that follow a range
inline constexpr unsigned kNear = 4;         // edges that a thread follows at once
inline constexpr unsigned kFewRanges = 1536; // of a level that one block does alone
inline constexpr unsigned kFewEdges = 8192;
inline constexpr unsigned kWordBits = 32;
inline constexpr unsigned kWords = 4; // of the bitmap, that a warp does at once

struct EdgeRange {
    unsigned first, count;
};

// What is known before a level.
struct BitLevel {
    ItemsAndBlocks list; // ranges (upper half) and their edges
    unsigned found;      // vertices of the level
    unsigned no_list;    // 1: the list is not complete
    unsigned level;
    unsigned unexplored; // edges of vertices that were not in a list
};

struct BitSearch {
    GraphTask task;
    unsigned* bits[2]; // of the vertices that were reached: a level from below reads one and writes the other
    unsigned* closed;  // bits of vertices that no edge leads to
    EdgeRange* lists[2];
    BitLevel* levels; // 3, in turn: a step reads one, makes the next and clears the one after it
    unsigned* arrived;
};

// Shared memory of a block.
inline constexpr unsigned kStagedBits = 2048; // vertices
struct BitShared {
    EdgeRange ranges[2 * kFewRanges]; // small levels: of this level and the next one
    unsigned history[kHistory]; // small levels: vertices that were tested lately; others: vertices that were reached
    ItemsAndBlocks place;
    unsigned staged; // vertices that were reached
    unsigned found;
    struct {
        unsigned ranges, edges;
    } counts[3]; // of small levels, in turn: a level makes one and clears the next
};
static_assert(kStagedBits <= kHistory);

// Calls act(0), act(1), ... act(Count - 1) without a loop, so that arrays which it indexes are in registers.
template <unsigned Count, class Act>
__device__ void unrolled(const Act& act)
{
    [&]<unsigned... Turn>(std::integer_sequence<unsigned, Turn...>)
    {
        (act(Turn), ...);
    }
    (std::make_integer_sequence<unsigned, Count>());
}

__device__ inline void all_blocks_arrive(unsigned* arrived, unsigned& awaited)
{
    __syncthreads();
    if (gridDim.x == 1)
        return;
    if (threadIdx.x == 0) {
        awaited += gridDim.x;
        fetch_add_acq_rel(arrived, 1);
        while (load_relaxed(arrived) < awaited) { // acquire order empties the L1 cache, so not in the loop
        }
        static_cast<void>(load_acquire(arrived));
    }
    __syncthreads();
}

// While others may set bits: the answer may be that of a little earlier.
__device__ inline bool bit_of(const unsigned* bits, unsigned vertex)
{
    return (load_in_block(&bits[vertex / kWordBits]) >> vertex % kWordBits & 1) != 0;
}
// While nobody changes them.
__device__ inline bool fixed_bit_of(const unsigned* bits, unsigned vertex)
{
    return (bits[vertex / kWordBits] >> vertex % kWordBits & 1) != 0;
}

// Whether this thread is the first to set the bit.
__device__ inline bool sets_bit(unsigned* bits, unsigned vertex)
{
    const unsigned bit = 1U << vertex % kWordBits;
    return (atomicOr(&bits[vertex / kWordBits], bit) & bit) == 0;
}

// Four numbers from `at` on, by one load or two: each load of a lane is from a cache line of its own, and they are what takes time
// in a small level. `all`: how many there are; those from `end` on are not used.
__device__ inline void load_four(const unsigned* from, unsigned at, unsigned end, unsigned all, unsigned (&to)[kNear])
{
    struct alignas(16) Four {
        unsigned of[kNear];
    };
    const unsigned aligned = at / kNear * kNear;
    const unsigned shift = at - aligned;
    const bool two = aligned + kNear < end;
    if (at >= end || aligned + (two ? 2 * kNear : kNear) > all) {
        unrolled<kNear>([&](unsigned near) { to[near] = at + near < end ? from[at + near] : 0; });
        return;
    }
    const Four low = reinterpret_cast<const Four*>(from)[aligned / kNear];
    const Four high = two ? reinterpret_cast<const Four*>(from)[aligned / kNear + 1] : Four{};
    const auto pick = [&](unsigned near) { // number `near` of low and high
        return near < kNear ? low.of[near % kNear] : high.of[near % kNear];
    };
    unrolled<kNear>([&](unsigned near) {
        const unsigned even = (shift & 1) != 0 ? pick(near + 1) : pick(near);
        const unsigned odd = (shift & 1) != 0 ? pick(near + 3) : pick(near + 2);
        to[near] = (shift & 2) != 0 ? odd : even;
    });
}

// Appends the edges of the staged vertices to the next list. All threads of the block call it, after a barrier.
__device__ inline void append_ranges(const BitSearch& search, EdgeRange* list, BitLevel& next, BitShared& shared)
{
    const unsigned count = shared.staged < kStagedBits ? shared.staged : kStagedBits;
    for (unsigned base = 0; base < count; base += blockDim.x) {
        const unsigned index = base + threadIdx.x;
        const unsigned vertex = index < count ? shared.history[index] : 0;
        const unsigned first = search.task.starts[vertex];
        const unsigned edges = index < count ? search.task.starts[vertex + 1] - first : 0;
        const unsigned ranges = (edges + kRangeEdges - 1) / kRangeEdges;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(ItemsAndBlocks{ranges} << kItemsShift | edges, false, total);
        if (threadIdx.x == 0)
            shared.place = atomicAdd(&next.list, total);
        __syncthreads();
        const auto place = static_cast<unsigned>((shared.place + before) >> kItemsShift);
        for (unsigned range = 0; range < ranges; ++range) {
            const unsigned at = range * kRangeEdges;
            list[place + range] = {first + at, edges - at < kRangeEdges ? edges - at : kRangeEdges};
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        shared.staged = 0;
    __syncthreads();
}

// A level from its list. makes_list: what it finds goes to the next list.
__device__ inline void follow_list(const BitSearch& search, const BitLevel& now, bool is_first, const EdgeRange* list,
                                   EdgeRange* next_list, unsigned* bits, bool makes_list, BitLevel& next,
                                   BitShared& shared)
{
    const auto ranges = static_cast<unsigned>(now.list >> kItemsShift);
    const unsigned start = is_first ? search.task.starts[search.task.source] : 0;
    const unsigned edges = static_cast<unsigned>(now.list);
    const unsigned sub = threadIdx.x % kRangeThreads;
    const unsigned per_block = blockDim.x / kRangeThreads;
    const bool check = now.unexplored < search.task.edges / 2; // most edges lead to what has not been reached
    unsigned found = 0;
    for (unsigned base = blockIdx.x * per_block; base < ranges; base += gridDim.x * per_block) {
        const unsigned index = base + threadIdx.x / kRangeThreads;
        EdgeRange range{};
        if (index < ranges && is_first) // the list has not been written
            range = {start + index * kRangeEdges,
                     edges - index * kRangeEdges < kRangeEdges ? edges - index * kRangeEdges : kRangeEdges};
        else if (index < ranges)
            range = list[index];
        const unsigned turns =
            __reduce_max_sync(0xFFFFFFFFU, (range.count + 2 * kRangeThreads - 1) / kRangeThreads / 2);
        for (unsigned turn = 0; turn < turns; ++turn) {
            unsigned to[2]{};
            bool has[2];
            for (unsigned part = 0; part < 2; ++part) {
                const unsigned edge = (2 * turn + part) * kRangeThreads + sub;
                has[part] = edge < range.count;
                if (has[part])
                    to[part] = search.task.ends[range.first + edge];
            }
            for (unsigned part = 0; part < 2 && check; ++part)
                has[part] = has[part] && !bit_of(bits, to[part]);
            for (unsigned part = 0; part < 2; ++part)
                has[part] = has[part] && sets_bit(bits, to[part]);
            for (unsigned part = 0; part < 2; ++part) {
                if (!has[part])
                    continue;
                search.task.distance[to[part]] = now.level + 1;
                ++found;
            }
            if (!makes_list)
                continue;
            unsigned places[2]{};
            places_in(&shared.staged, has, places);
            for (unsigned part = 0; part < 2; ++part)
                if (has[part] && places[part] < kStagedBits)
                    shared.history[places[part]] = to[part];
                else if (has[part]) // it does not fit: the next level does without a list
                    store_relaxed(&next.no_list, 1);
        }
        if (!makes_list)
            continue;
        __syncthreads();
        const unsigned staged = shared.staged;
        __syncthreads();
        if (base + gridDim.x * per_block >= ranges || staged > kStagedBits / 2)
            append_ranges(search, next_list, next, shared);
    }
    add_of_warp(&shared.found, found);
}

// A level from below. The edges `first` to `end` - 1 lead to a vertex: whether one is from a vertex whose bit is set. The warp
// shares the edges of a vertex that has many.
__device__ inline bool has_parent(const BitSearch& search, const unsigned* bits, unsigned first, unsigned end)
{
    const unsigned* ends = search.task.in_ends;
    const unsigned own_end = end - first > kLanes ? first + kLanes : end;
    bool hit = false;
    for (; first < own_end && !hit; first += kNear) {
        unsigned from[kNear];
        unrolled<kNear>([&](unsigned near) { from[near] = ends[first + near < end ? first + near : first]; });
        unrolled<kNear>([&](unsigned near) { hit |= fixed_bit_of(bits, from[near]); });
    }
    const unsigned lane = threadIdx.x % kLanes;
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, !hit && first < end); left != 0; left &= left - 1) {
        const int owner = __ffs(static_cast<int>(left)) - 1;
        const unsigned its_end = __shfl_sync(0xFFFFFFFFU, end, owner);
        bool here = false;
        for (unsigned at = __shfl_sync(0xFFFFFFFFU, first, owner); at < its_end && !here; at += kLanes)
            here = __any_sync(0xFFFFFFFFU, at + lane < its_end && fixed_bit_of(bits, ends[at + lane])) != 0;
        hit = hit || (here && lane == static_cast<unsigned>(owner));
    }
    return hit;
}

__device__ inline void look_from_below(const BitSearch& search, const BitLevel& now, EdgeRange* next_list,
                                       const unsigned* bits, unsigned* next_bits, BitLevel& next, BitShared& shared)
{
    const GraphTask& task = search.task;
    const unsigned words = (task.vertices + kWordBits - 1) / kWordBits;
    const unsigned lane = threadIdx.x % kLanes;
    const unsigned warps = blockDim.x / kLanes * gridDim.x;
    unsigned found = 0;
    // Neighbouring words go to different blocks: vertices with many edges may be neighbours.
    for (unsigned word = (threadIdx.x / kLanes * gridDim.x + blockIdx.x) * kWords; word < words;
         word += warps * kWords) {
        unsigned seen[kWords];
        unsigned closed[kWords];
        unrolled<kWords>([&](unsigned turn) {
            seen[turn] = word + turn < words ? bits[word + turn] : 0xFFFFFFFFU;
            closed[turn] = word + turn < words ? search.closed[word + turn] : 0xFFFFFFFFU;
        });
        bool open[kWords]; // not reached; later: and no edge leads to it
        bool hit[kWords];
        unsigned edge[kWords]; // the next one to look at
        unsigned end[kWords];
        unrolled<kWords>([&](unsigned turn) {
            const unsigned vertex = (word + turn) * kWordBits + lane;
            open[turn] = ((seen[turn] | closed[turn]) >> lane & 1) == 0 && vertex < task.vertices;
            hit[turn] = false;
            edge[turn] = open[turn] ? task.in_starts[vertex] : 0;
            end[turn] = open[turn] ? task.in_starts[vertex + 1] : 0;
        });
        unrolled<kWords>([&](unsigned turn) {
            open[turn] = open[turn] && edge[turn] == end[turn]; // no edge leads to it
        });
        for (unsigned look = 0; look < kNear;
             ++look) { // the vertices of the thread together: the loads are under way together
            unsigned from[kWords];
            unrolled<kWords>(
                [&](unsigned turn) { from[turn] = edge[turn] < end[turn] ? task.in_ends[edge[turn]] : 0; });
            unrolled<kWords>([&](unsigned turn) {
                if (edge[turn] == end[turn])
                    return;
                hit[turn] = fixed_bit_of(bits, from[turn]);
                edge[turn] = hit[turn] ? end[turn] : edge[turn] + 1;
            });
        }
        __syncwarp(); // all have read the words that the first lane changes
        unrolled<kWords>([&](unsigned turn) {
            if (__any_sync(0xFFFFFFFFU, edge[turn] < end[turn]) != 0)
                hit[turn] |= has_parent(search, bits, edge[turn], end[turn]);
            const unsigned new_bits = __ballot_sync(0xFFFFFFFFU, hit[turn]);
            const unsigned new_closed = __ballot_sync(0xFFFFFFFFU, open[turn]);
            if (lane == 0 && word + turn < words) {
                next_bits[word + turn] = seen[turn] | new_bits;
                if (new_closed != 0)
                    search.closed[word + turn] = closed[turn] | new_closed;
            }
            const unsigned vertex = (word + turn) * kWordBits + lane;
            if (hit[turn])
                task.distance[vertex] = now.level + 1;
            found += hit[turn] ? 1 : 0;
            const unsigned place = place_in(&shared.staged, hit[turn]);
            if (hit[turn] && place < kStagedBits)
                shared.history[place] = vertex;
        });
    }
    add_of_warp(&shared.found, found);
    __syncthreads();
    const bool fits = shared.staged <= kStagedBits;
    __syncthreads();
    if (fits)
        append_ranges(search, next_list, next, shared);
    else if (threadIdx.x == 0)
        store_relaxed(&next.no_list, 1);
}

} // namespace nestbed::inline NESTBED_BACKEND
