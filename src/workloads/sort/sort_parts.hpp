// What blocks do to divide a part of the keys into many: a step of the quicksort into many parts. All threads of a block call these
// functions.
#pragma once

#include "device/parts/partition.hpp"
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// For device/parts/partition.hpp: an element is a key, and its value if there is one.
struct SortElements {
    static constexpr unsigned kMaxParts = nestbed::kMaxParts;
    static constexpr unsigned kMaxTile = nestbed::kMaxTile;
    static constexpr unsigned kPerThread = kKeysPerThread;

    const SortTask& task;
    const SortPart& whole;
    const SortDigits& digits;

    __device__ unsigned first() const { return whole.first; }
    __device__ unsigned count() const { return whole.count; }
    __device__ unsigned parts() const { return digits.parts; }
    __device__ unsigned key(unsigned bits) const { return task.order.rank(bits); }
    __device__ unsigned word(unsigned rank) const { return task.order.bits(rank); }
    __device__ unsigned part(unsigned rank) const { return digit_of(whole, digits, rank); }
    __device__ void load(unsigned base, unsigned (&words)[kPerThread]) const
    {
        load_tile(task.at(whole.place).keys + whole.first + base, whole.count - base, words);
    }
    __device__ void load_others(unsigned base, unsigned (&words)[kPerThread]) const
    {
        load_tile(task.at(whole.place).values + whole.first + base, whole.count - base, words);
    }
    __device__ unsigned* words_to() const { return task.at(next_place(whole.place)).keys; }
    __device__ unsigned* others_to() const { return task.at(next_place(whole.place)).values; }
};

// The part with the range of the keys that it has. After the last block has counted.
__device__ inline SortPart narrowed(const SortPart& part, const SortNode& node)
{
    SortPart narrow = part;
    narrow.least = ~node.not_least;
    narrow.most = node.most;
    return narrow;
}

// What a block knows after a step.
enum class SortStepEnd : unsigned char {
    done, // nothing is left to do for the calling thread: the part is in the output, or other blocks are still at work
    one_part, // the last block to count: all keys are in one of the parts, `next`; no key has moved
    counted,  // the last block to count: the keys can move to their parts
    moved,    // the last block to move keys: thread t has part t, `next`, which has keys
};

// Block `block` of the `blocks` of an item does its share of the step. A block that counts or moves keys adds one to the counter
// of the division when it is done, in acquire-release order: the last one to do so sees what all of them wrote.
__device__ inline SortStepEnd sort_step(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                        SortPart& next, unsigned* words)
{
    const SortPart& part = item.part;
    if (threadIdx.x == 0 && block == 0)
        atomicAdd(task.work, static_cast<unsigned long long>(part.count));
    if (item.step == SortStep::copy)
        copy_keys(task.at(part.place), task.at(SortPlace::out), part.first, part.count,
                  block * blockDim.x + threadIdx.x, blocks * blockDim.x);
    if (item.step == SortStep::leaf)
        sort_leaf(words, task, part);
    if (item.step != SortStep::divide && item.step != SortStep::scatter)
        return SortStepEnd::done;
    const SortDigits digits = digits_of(part, task.fanout, task.grain);
    const SortElements elements{task, part, digits};
    SortNode& node = task.nodes[item.node];
    if (item.step == SortStep::divide) {
        count_parts(elements, node, block, blocks, words);
        if (!block_arrives_last(&node.arrived, blocks))
            return SortStepEnd::done;
        next = narrowed(part, node);
        if (digit_of(part, digits, next.least) == digit_of(part, digits, next.most))
            return SortStepEnd::one_part;
        set_cursors(elements, node);
        return SortStepEnd::counted;
    }
    move_to_parts(elements, node, block, blocks, words);
    const unsigned digit = threadIdx.x;
    if (!block_arrives_last(&node.arrived, blocks) || digit >= digits.parts)
        return SortStepEnd::done;
    const unsigned keys = node.counts[digit];
    next = part_of(part, digits, digit, node.cursors[digit] - keys, keys);
    return keys == 0 ? SortStepEnd::done : SortStepEnd::moved;
}

} // namespace nestbed::inline NESTBED_BACKEND
