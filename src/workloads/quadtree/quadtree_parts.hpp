// What blocks do to divide a part of the points into many: count the points of each part, move them there, and list the nodes. All
// threads of a block call these functions.
#pragma once

#include "workloads/quadtree/quadtree.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Block `block` of `blocks`: how many points each part has, and the range of all codes, added to `division`. `words`: shared
// memory, kMaxQuadParts + 2.
__device__ inline void count_points(const QuadTask& task, const QuadPart& part, const QuadDigits& digits,
                                    QuadDivision& division, unsigned block, unsigned blocks, unsigned* words)
{
    constexpr unsigned kNoDigit = 0xFFFFFFFF;
    unsigned* const counts = words;
    unsigned* const range = words + kMaxQuadParts;
    const unsigned tid = threadIdx.x;
    const unsigned tile = kPointsPerThread * blockDim.x;
    const bool by_code = digits.bits < kCodeBits;
    __syncthreads(); // nobody still reads what was there before
    if (tid < digits.parts())
        counts[tid] = 0;
    if (tid == 0) {
        range[0] = 0xFFFFFFFF;
        range[1] = 0;
    }
    __syncthreads();
    unsigned least = 0xFFFFFFFF;
    unsigned most = 0;
    for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
        unsigned taken[kPointsPerThread];
        if (by_code)
            load_codes(task, part, base, taken);
        else
            load_order(task, part, base, taken);
        unsigned digit = kNoDigit; // of the last points
        unsigned run = 0;          // how many have it: one addition for all
        for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
            if (turn * blockDim.x + tid >= part.count - base)
                break;
            least = least < taken[turn] ? least : taken[turn];
            most = most > taken[turn] ? most : taken[turn];
            const unsigned now = digits.of(taken[turn], taken[turn]);
            if (now != digit && run != 0) {
                atomicAdd(&counts[digit], run);
                run = 0;
            }
            digit = now;
            ++run;
        }
        if (run != 0)
            atomicAdd(&counts[digit], run);
    }
    gather_range(&range[0], &range[1], least, most);
    __syncthreads();
    if (tid < digits.parts() && counts[tid] != 0)
        atomicAdd(&division.counts[tid], counts[tid]);
    if (tid == 0) {
        atomicMax(&division.not_least, ~range[0]);
        atomicMax(&division.most, range[1]);
    }
}

// By the last block to count: where the points of each part go. Ends with a barrier.
__device__ inline void set_cursors(const QuadPart& part, const QuadDigits& digits, QuadDivision& division)
{
    const unsigned tid = threadIdx.x;
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = sum_before(tid < digits.parts() ? division.counts[tid] : 0, false, total);
    if (tid < digits.parts())
        division.cursors[tid] = part.first + static_cast<unsigned>(before);
    __syncthreads();
}

// By one thread: the nodes that a narrower part has skipped. Each has all points of the part.
__device__ inline void list_chain(const QuadTask& task, const QuadPart& part, const QuadPart& narrow)
{
    bool divided = part.divided == QuadDivided::yes;
    for (unsigned level = part.level + 1; divided && level <= narrow.level; ++level) {
        task.put(atomicAdd(task.node_count, 1U),
                 {level, leading_bits(narrow.code, 2 * level), part.first, part.count});
        divided = task.limits.divided(level, part.count);
    }
}

// Block `block` of `blocks`: moves the points to their parts, in the order of parts within each tile, so that neighbouring threads
// write neighbouring points. `words`: shared memory, kMaxQuadTile + 2 * kMaxQuadParts.
__device__ inline void move_points(const QuadTask& task, const QuadPart& part, const QuadDigits& digits,
                                   QuadDivision& division, unsigned block, unsigned blocks, unsigned* words)
{
    unsigned* const counts = words + kMaxQuadTile;    // of the tile; then where the part begins in it
    unsigned* const offsets = counts + kMaxQuadParts; // from a point's place in the tile to its new place
    const QuadArray& to = task.at(next_place(part.place));
    const unsigned tid = threadIdx.x;
    const unsigned tile = kPointsPerThread * blockDim.x;
    const bool by_code = digits.bits < kCodeBits;
    for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
        const unsigned points = part.count - base < tile ? part.count - base : tile;
        unsigned key[kPointsPerThread];
        unsigned place[kPointsPerThread]; // among the points of its part, then in the tile
        if (by_code)
            load_codes(task, part, base, key);
        else
            load_order(task, part, base, key);
        __syncthreads();
        if (tid < digits.parts())
            counts[tid] = 0;
        __syncthreads();
        for (unsigned turn = 0; turn < kPointsPerThread; ++turn) {
            place[turn] = 0;
            if (turn * blockDim.x + tid < points)
                place[turn] = atomicAdd(&counts[digits.of(key[turn], key[turn])], 1U);
        }
        __syncthreads();
        const unsigned mine = tid < digits.parts() ? counts[tid] : 0;
        ItemsAndBlocks total = 0;
        const auto before = static_cast<unsigned>(sum_before(mine, false, total));
        if (tid < digits.parts()) {
            counts[tid] = before;
            if (mine != 0)
                offsets[tid] = atomicAdd(&division.cursors[tid], mine) - before;
        }
        __syncthreads();
        for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
            if (turn * blockDim.x + tid < points) {
                place[turn] += counts[digits.of(key[turn], key[turn])];
                words[place[turn]] = key[turn];
            }
        __syncthreads();
        unsigned target[kPointsPerThread];
        load_tile(words, points, key);
        for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
            if (const unsigned index = turn * blockDim.x + tid; index < points) {
                target[turn] = offsets[digits.of(key[turn], key[turn])] + index;
                (by_code ? to.codes : to.order)[target[turn]] = key[turn];
            }
        if (by_code)
            load_order(task, part, base, key);
        else
            load_codes(task, part, base, key);
        __syncthreads();
        for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
            if (turn * blockDim.x + tid < points)
                words[place[turn]] = key[turn];
        __syncthreads();
        for (unsigned turn = 0; turn < kPointsPerThread; ++turn)
            if (const unsigned index = turn * blockDim.x + tid; index < points)
                (by_code ? to.order : to.codes)[target[turn]] = words[index];
    }
}

// By the last block to move points: the nodes that the counts of the parts give, and a request for each part. Thread t has part t: it
// fills `child` and returns true. `starts`: shared memory, kMaxQuadParts + 1.
__device__ inline bool request_parts(const QuadTask& task, const QuadPart& part, const QuadDigits& digits,
                                     const QuadDivision& division, unsigned* starts, QuadItem& child)
{
    const unsigned tid = threadIdx.x;
    const unsigned parts = digits.parts();
    const unsigned points = tid < parts ? division.counts[tid] : 0;
    if (tid < parts)
        starts[tid] = division.cursors[tid] - points;
    if (tid == 0)
        starts[parts] = part.first + part.count;
    __syncthreads();
    // Points of the node of a level that has the thread's part.
    const auto points_of = [&](unsigned level) {
        const unsigned group = 1U << (digits.end() - 2 * level);
        const unsigned begin = tid & ~(group - 1);
        return starts[begin + group] - starts[begin];
    };
    const unsigned deepest = digits.bits < kCodeBits ? known_level(digits.end()) : part.level;
    // Whether the thread's part is the first of a node of this level.
    const auto begins = [&](unsigned level) {
        const unsigned group = 1U << (digits.end() - 2 * level);
        if (tid >= parts || (tid & (group - 1)) != 0 || points_of(level) == 0)
            return false;
        return level == part.level + 1 ? part.divided == QuadDivided::yes
                                       : task.limits.divided(level - 1, points_of(level - 1));
    };
    unsigned mine = 0;
    for (unsigned level = part.level + 1; level <= deepest; ++level)
        mine += begins(level) ? 1 : 0;
    unsigned at = reserve_nodes(task, mine);
    for (unsigned level = part.level + 1; level <= deepest; ++level)
        if (begins(level)) {
            const unsigned code = part.code | tid << (kCodeBits - digits.end());
            task.put(at++, {level, leading_bits(code, 2 * level), starts[tid], points_of(level)});
        }
    if (tid >= parts)
        return false;
    const auto start_at = [&](unsigned digit) { return starts[digit] - part.first; };
    const unsigned end = item_end(digits, leaf_points(blockDim.x), tid, start_at);
    if (end == tid)
        return false;
    const unsigned count = starts[end] - starts[tid];
    if (end > tid + 1)
        return QuadRecursion::request(task, joined(part, digits, starts[tid], count), child);
    const unsigned node_count = deepest > part.level ? points_of(deepest) : 0;
    return QuadRecursion::request(task, part_of(part, digits, task.limits, tid, starts[tid], count, node_count),
                                  child);
}

// Block `block` of the `blocks` of an item does its share of the step. A block that counts or moves points adds one to the counter
// of the division when it is done, in acquire-release order: the last one to do so sees what all of them wrote. All its threads then
// call one of these, and return what it returns:
//     one_part(narrow): all points are in one of the parts, `narrow`; no point has moved
//     counted(): the points can move to their parts
//     moved(digits, division): they have moved
// Returns false in a block that has nothing left to do: the part is a leaf and finished, or other blocks are still at work.
template <class OnePart, class Counted, class Moved>
__device__ bool quad_step(const QuadTask& task, const QuadItem& item, unsigned block, unsigned blocks,
                          unsigned* words, const OnePart& one_part, const Counted& counted, const Moved& moved)
{
    const QuadPart& part = item.part;
    if (threadIdx.x == 0 && block == 0)
        atomicAdd(task.work, static_cast<unsigned long long>(part.count));
    switch (item.step) {
    case QuadStep::leaf:
        finish_leaf(words, task, part);
        return false;
    case QuadStep::divide: {
        const QuadDigits digits = digits_of(part, blockDim.x, task.count);
        QuadDivision& division = task.divisions[item.division];
        count_points(task, part, digits, division, block, blocks, words);
        if (!block_arrives_last(&division.arrived, blocks))
            return false;
        const unsigned common = common_bits(~division.not_least, division.most);
        if (digits.bits < kCodeBits && common >= digits.end()) {
            const QuadPart narrow = narrowed(part, task.limits, common, division.most);
            return one_part(narrow);
        }
        set_cursors(part, digits, division);
        return counted();
    }
    case QuadStep::scatter: {
        const QuadDigits digits = digits_of(part, blockDim.x, task.count);
        QuadDivision& division = task.divisions[item.division];
        move_points(task, part, digits, division, block, blocks, words);
        return block_arrives_last(&division.arrived, blocks) && moved(digits, division);
    }
    default:
        return false;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
