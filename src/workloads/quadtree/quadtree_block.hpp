// The task of a quadtree on the device, and what one block or one thread does to a part (workloads/quadtree/quadtree_reference.hpp).
#pragma once

#include "device/parts/request_collectives.hpp"
#include "device/parts/tile.hpp"
#include "workloads/quadtree/quadtree_reference.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMaxQuadThreads = 1024;
inline constexpr unsigned kQuadBuckets = 2048;
inline constexpr unsigned kMaxOfQuadBucket = 32; // points. A point is compared with all points of its bucket
// Shared words of a block: the codes and places of a leaf, and its buckets; or the words of a tile that is moved, and two
// for each part.
inline constexpr unsigned kQuadWords = 2 * kMaxLeafPoints + kQuadBuckets;
inline constexpr unsigned kMaxQuadTile = kPointsPerThread * kMaxQuadThreads; // points that a block takes at a time
static_assert(kQuadWords >= kMaxQuadTile + 2 * kMaxQuadParts);

// The counters of one division. Zero before every run.
struct QuadDivision {
    unsigned arrived;
    unsigned not_least,
        most; // of the codes of all points; the least is inverted, so that it is 0 before there is any
    unsigned counts[kMaxQuadParts];
    unsigned cursors[kMaxQuadParts]; // where the next points of each part go
};

struct QuadArray {
    unsigned* codes;
    unsigned* order; // places in the input
};

struct QuadTask {
    const unsigned* points;
    QuadArray arrays[2]; // spare, out
    QuadNode* nodes;
    unsigned* node_count;
    unsigned max_nodes; // that the list can hold
    QuadDivision* divisions;
    unsigned* next_division; // of `divisions`: those before it are taken
    unsigned count;
    unsigned root_blocks;
    QuadLimits limits;
    unsigned long long* work; // points read, once for every task that reads them

    __host__ __device__ const QuadArray& at(QuadPlace place) const { return arrays[place == QuadPlace::out ? 1 : 0]; }
    __host__ __device__ unsigned code(QuadPlace place, unsigned index) const
    {
        return place == QuadPlace::in ? morton_code(points[index]) : at(place).codes[index];
    }
    __host__ __device__ unsigned origin(QuadPlace place, unsigned index) const
    {
        return place == QuadPlace::in ? index : at(place).order[index];
    }
    __host__ __device__ void put(unsigned at_node, const QuadNode& node) const
    {
        if (at_node < max_nodes)
            nodes[at_node] = node;
    }
};

// What a thread takes of a tile of a part: every blockDim.x-th point (device/parts/tile.hpp).
__device__ inline void load_codes(const QuadTask& task, const QuadPart& part, unsigned base,
                                  unsigned (&codes)[kPointsPerThread])
{
    const unsigned from = part.first + base;
    load_tile(part.place == QuadPlace::in ? task.points + from : task.at(part.place).codes + from, part.count - base,
              codes);
    if (part.place != QuadPlace::in)
        return;
    for (unsigned& code : codes)
        code = morton_code(code);
}
__device__ inline void load_order(const QuadTask& task, const QuadPart& part, unsigned base,
                                  unsigned (&order)[kPointsPerThread])
{
    const unsigned from = part.first + base;
    if (part.place != QuadPlace::in)
        return load_tile(task.at(part.place).order + from, part.count - base, order);
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
        order[turn] = from + turn * blockDim.x + threadIdx.x;
}

// Where the block's nodes go in the list: those of the calling thread. `mine`: how many it has. All threads call it.
__device__ inline unsigned reserve_nodes(const QuadTask& task, unsigned mine)
{
    BLOCK_SHARED(unsigned, first, 1);
    ItemsAndBlocks total = 0;
    const auto before = static_cast<unsigned>(exclusive_scan(mine, false, total));
    if (threadIdx.x == 0)
        first[0] = total == 0 ? 0 : atomicAdd(task.node_count, static_cast<unsigned>(total));
    __syncthreads();
    return first[0] + before; // the first barrier of the next call is before the next write
}

// Lists the nodes that begin in a part, whose codes are in order: in shared memory, at most kPointsPerThread per thread.
__device__ inline void list_nodes(const QuadTask& task, const QuadPart& part, const unsigned* codes)
{
    const auto code_at = [codes](unsigned index) { return codes[index]; };
    unsigned mine = 0;
    QuadLevels levels[kPointsPerThread];
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
        const unsigned index = turn * blockDim.x + threadIdx.x;
        levels[turn] = {1, 0};
        if (index < part.count)
            levels[turn] = levels_at(part, task.limits, index, code_at);
        mine += levels[turn].count();
    }
    unsigned next = reserve_nodes(task, mine);
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
        for (unsigned level = levels[turn].first; level <= levels[turn].last; ++level)
            task.put(next++, node_at(part, turn * blockDim.x + threadIdx.x, level, code_at));
}

__device__ inline bool point_before(unsigned code, unsigned origin, unsigned other_code, unsigned other_origin)
{
    return code < other_code || (code == other_code && origin < other_origin);
}

// The points of a crowded bucket that a thread's comparators sort, for one turn: none if `count` is 0.
struct QuadCrowd {
    unsigned first, count;
    unsigned comparator;
};

// Sorts all crowded buckets in shared memory at once, each by a bitonic network. `most`: points of the largest one.
// Source: Batcher, "Sorting networks and their applications", AFIPS 1968 (the bitonic sorter).
__device__ inline void sort_crowds(unsigned* codes, unsigned* order, const QuadCrowd (&crowds)[kPointsPerThread],
                                   unsigned most)
{
    for (unsigned sorted = 1; sorted < most; sorted *= 2) // two neighbouring runs of so many points become one
        for (unsigned step = sorted; step > 0; step /= 2) {
            __syncthreads();
            for (const QuadCrowd& crowd : crowds) {
                const unsigned low = crowd.comparator & (step - 1);
                const unsigned run = 2 * (crowd.comparator - low);
                // The first step of a merge compares the points from the outside in, the others at a distance.
                const unsigned distant = run + (step == sorted ? 2 * step - 1 - low : step + low);
                if (distant >= crowd.count)
                    continue;
                const unsigned one = crowd.first + run + low;
                const unsigned other = crowd.first + distant;
                const unsigned code = codes[one];
                const unsigned other_code = codes[other];
                if (code < other_code)
                    continue;
                const unsigned origin = order[one];
                const unsigned other_origin = order[other];
                if (code == other_code && origin < other_origin)
                    continue;
                codes[one] = other_code;
                codes[other] = code;
                order[one] = other_origin;
                order[other] = origin;
            }
        }
    __syncthreads();
}

// Sorts the points of a leaf, which the threads have taken, into shared memory: by one distribution into buckets of equal
// width; then each point finds its place in its bucket, or a network sorts the bucket. `words`: kQuadWords.
__device__ inline void sort_points(unsigned* words, unsigned count, unsigned (&code)[kPointsPerThread],
                                   const unsigned (&origin)[kPointsPerThread])
{
    unsigned* const codes = words;
    unsigned* const order = words + kMaxLeafPoints;
    unsigned* const starts = words + 2 * kMaxLeafPoints; // points of each bucket; then where it begins
    BLOCK_SHARED(unsigned, range, 3);                    // of the codes; points of the largest crowded bucket
    const unsigned tid = threadIdx.x;
    const unsigned threads = blockDim.x;
    unsigned least = 0xFFFFFFFF;
    unsigned most = 0;
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
        if (turn * threads + tid < count) {
            least = least < code[turn] ? least : code[turn];
            most = most > code[turn] ? most : code[turn];
        }
    __syncthreads(); // nobody still uses what was there before
    if (tid == 0) {
        range[0] = 0xFFFFFFFF;
        range[1] = 0;
        range[2] = 0;
    }
    const unsigned useful = bit_ceil(count);
    const unsigned buckets = useful < kQuadBuckets ? useful : kQuadBuckets;
    for (unsigned bucket = tid; bucket < buckets; bucket += threads)
        starts[bucket] = 0;
    __syncthreads();
    block_min_max(&range[0], &range[1], least, most);
    __syncthreads();
    least = range[0];
    const unsigned width = bit_width(range[1] - least);
    const unsigned digit = bit_width(buckets) - 1;
    const unsigned shift = width > digit ? width - digit : 0;
    unsigned place[kPointsPerThread]; // among the points of its bucket
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
        place[turn] = 0;
        if (turn * threads + tid < count)
            place[turn] = atomicAdd(&starts[(code[turn] - least) >> shift], 1U);
    }
    __syncthreads();
    const unsigned own = (buckets - 1) / threads + 1; // neighbouring buckets of each thread
    const unsigned begin = tid * own < buckets ? tid * own : buckets;
    const unsigned end = begin + own < buckets ? begin + own : buckets;
    unsigned points = 0;
    unsigned largest = 0;
    for (unsigned bucket = begin; bucket < end; ++bucket) {
        points += starts[bucket];
        largest = largest > starts[bucket] ? largest : starts[bucket];
    }
    if (largest > kMaxOfQuadBucket)
        atomicMax(&range[2], largest);
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = exclusive_scan(points, false, total);
    auto start = static_cast<unsigned>(before);
    for (unsigned bucket = begin; bucket < end; ++bucket) {
        const unsigned next = start + starts[bucket];
        starts[bucket] = start;
        start = next;
    }
    __syncthreads();
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
        if (turn * threads + tid < count) {
            place[turn] += starts[(code[turn] - least) >> shift];
            codes[place[turn]] = code[turn];
            order[place[turn]] = origin[turn];
        }
    __syncthreads();
    QuadCrowd crowds[kPointsPerThread];
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
        crowds[turn] = {0, 0, 0};
        if (turn * threads + tid >= count)
            continue;
        const unsigned bucket = (code[turn] - least) >> shift;
        const unsigned first = starts[bucket];
        const unsigned last = bucket + 1 < buckets ? starts[bucket + 1] : count;
        if (last - first > kMaxOfQuadBucket) { // as many comparators as half a full network needs
            if (place[turn] - first < bit_ceil(last - first) / 2)
                crowds[turn] = {first, last - first, place[turn] - first};
            continue;
        }
        place[turn] = first;
        for (unsigned other = first; other < last; ++other)
            place[turn] += point_before(codes[other], order[other], code[turn], origin[turn]) ? 1 : 0;
    }
    __syncthreads();
    for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
        if (turn * threads + tid < count) {
            codes[place[turn]] = code[turn];
            order[place[turn]] = origin[turn];
        }
    const unsigned crowd = range[2];
    if (crowd == 0)
        __syncthreads();
    else
        sort_crowds(codes, order, crowds, crowd);
}

// The block sorts a leaf to the same positions of the output, and lists the nodes in it.
__device__ inline void finish_leaf(unsigned* words, const QuadTask& task, const QuadPart& part)
{
    unsigned code[kPointsPerThread];
    unsigned origin[kPointsPerThread];
    load_codes(task, part, 0, code);
    load_order(task, part, 0, origin);
    sort_points(words, part.count, code, origin);
    const QuadArray& out = task.at(QuadPlace::out);
    for (unsigned index = threadIdx.x; index < part.count; index += blockDim.x) {
        out.codes[part.first + index] = words[index];
        out.order[part.first + index] = words[kMaxLeafPoints + index];
    }
    list_nodes(task, part, words);
}

// One thread sorts a part to the output (heapsort), and lists the nodes in it.
__device__ inline void finish_serially(const QuadTask& task, const QuadPart& part)
{
    const QuadArray& out = task.at(QuadPlace::out);
    unsigned* const codes = out.codes + part.first;
    unsigned* const order = out.order + part.first;
    for (unsigned index = 0; part.place != QuadPlace::out && index < part.count; ++index) {
        codes[index] = task.code(part.place, part.first + index);
        order[index] = task.origin(part.place, part.first + index);
    }
    const auto before = [&](unsigned one, unsigned other) {
        return point_before(codes[one], order[one], codes[other], order[other]);
    };
    const SortArray pairs{codes, order};
    unsigned heaped = part.count / 2; // points from here on are a heap
    unsigned end = part.count;        // points from here on are in their place
    while (end > 1) {
        if (heaped > 0)
            --heaped;
        else
            swap_keys(pairs, 0, --end);
        for (unsigned root = heaped;;) {
            unsigned child = 2 * root + 1;
            if (child >= end)
                break;
            if (child + 1 < end && before(child, child + 1))
                ++child;
            if (!before(root, child))
                break;
            swap_keys(pairs, root, child);
            root = child;
        }
    }
    const auto code_at = [codes](unsigned index) { return codes[index]; };
    for (unsigned index = 0; index < part.count; ++index) {
        const QuadLevels levels = levels_at(part, task.limits, index, code_at);
        for (unsigned level = levels.first; level <= levels.last; ++level)
            task.put(atomicAdd(task.node_count, 1U), node_at(part, index, level, code_at));
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
