// What blocks do to divide a part of the points into many, and to list the nodes: a step of the quadtree. All threads of a block call
// these functions.
#pragma once

#include "device/parts/partition.hpp"
#include "workloads/quadtree/quadtree.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// For device/parts/partition.hpp: an element is a code and a place in the input; points with equal codes are divided by their places.
struct QuadElements {
    static constexpr unsigned kMaxParts = kMaxQuadParts;
    static constexpr unsigned kMaxTile = kMaxQuadTile;
    static constexpr unsigned kPerThread = kPointsPerThread;

    const QuadTask& task;
    const QuadPart& whole;
    const QuadDigits& digits;

    __device__ unsigned first() const { return whole.first; }
    __device__ unsigned count() const { return whole.count; }
    __device__ unsigned parts() const { return digits.parts(); }
    __device__ bool by_code() const { return digits.bits < kCodeBits; }
    __device__ static unsigned key(unsigned word) { return word; }
    __device__ static unsigned word(unsigned key) { return key; }
    __device__ unsigned part(unsigned key) const { return digits.of(key, key); }
    __device__ void load(unsigned base, unsigned (&words)[kPerThread]) const
    {
        if (by_code())
            load_codes(task, whole, base, words);
        else
            load_order(task, whole, base, words);
    }
    __device__ void load_others(unsigned base, unsigned (&words)[kPerThread]) const
    {
        if (by_code())
            load_order(task, whole, base, words);
        else
            load_codes(task, whole, base, words);
    }
    __device__ unsigned* words_to() const { return by_code() ? to().codes : to().order; }
    __device__ unsigned* others_to() const { return by_code() ? to().order : to().codes; }

  private:
    __device__ const QuadArray& to() const { return task.at(next_place(whole.place)); }
};

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
        count_parts(QuadElements{task, part, digits}, division, block, blocks, words);
        if (!block_arrives_last(&division.arrived, blocks))
            return false;
        const unsigned common = common_bits(~division.not_least, division.most);
        if (digits.bits < kCodeBits && common >= digits.end()) {
            const QuadPart narrow = narrowed(part, task.limits, common, division.most);
            return one_part(narrow);
        }
        set_cursors(QuadElements{task, part, digits}, division);
        return counted();
    }
    case QuadStep::scatter: {
        const QuadDigits digits = digits_of(part, blockDim.x, task.count);
        QuadDivision& division = task.divisions[item.division];
        move_to_parts(QuadElements{task, part, digits}, division, block, blocks, words);
        return block_arrives_last(&division.arrived, blocks) && moved(digits, division);
    }
    default:
        return false;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
