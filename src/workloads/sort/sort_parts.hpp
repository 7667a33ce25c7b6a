// What blocks do to divide a part of the keys into many: count the keys of each part, and move them there. All threads of a
// block call these functions.
#pragma once

#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Block `block` of `blocks`: how many keys each part has, and the range of all, added to `node`. `words`: shared memory,
// kMaxParts + 2.
__device__ inline void count_keys(const SortTask& task, const SortPart& part, const SortDigits& digits,
                                  SortNode& node, unsigned block, unsigned blocks, unsigned* words)
{
    constexpr unsigned kNoDigit = 0xFFFFFFFF;
    unsigned* const counts = words;
    unsigned* const range = words + kMaxParts;
    const unsigned* keys = task.at(part.place).keys + part.first;
    const unsigned tid = threadIdx.x;
    const unsigned tile = kKeysPerThread * blockDim.x;
    __syncthreads(); // nobody still reads what was there before
    if (tid < digits.parts)
        counts[tid] = 0;
    if (tid == 0) {
        range[0] = 0xFFFFFFFF;
        range[1] = 0;
    }
    __syncthreads();
    unsigned least = 0xFFFFFFFF;
    unsigned most = 0;
    for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
        unsigned taken[kKeysPerThread];
        load_tile(keys + base, part.count - base, taken);
        unsigned digit = kNoDigit; // of the last keys
        unsigned run = 0;          // how many have it: one addition for all
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn) {
            if (turn * blockDim.x + tid >= part.count - base)
                break;
            const unsigned rank = task.order.rank(taken[turn]);
            least = least < rank ? least : rank;
            most = most > rank ? most : rank;
            const unsigned now = digit_of(part, digits, rank);
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
    if (tid < digits.parts && counts[tid] != 0)
        atomicAdd(&node.counts[tid], counts[tid]);
    if (tid == 0) {
        atomicMax(&node.not_least, ~range[0]);
        atomicMax(&node.most, range[1]);
    }
}

// The part with the range of the keys that it has. After the last block has counted.
__device__ inline SortPart narrowed(const SortPart& part, const SortNode& node)
{
    SortPart narrow = part;
    narrow.least = ~node.not_least;
    narrow.most = node.most;
    return narrow;
}

// By the last block to count: where the keys of each part go. Ends with a barrier.
__device__ inline void set_cursors(const SortPart& part, const SortDigits& digits, SortNode& node)
{
    const unsigned tid = threadIdx.x;
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = sum_before(tid < digits.parts ? node.counts[tid] : 0, false, total);
    if (tid < digits.parts)
        node.cursors[tid] = part.first + static_cast<unsigned>(before);
    __syncthreads();
}

// Block `block` of `blocks`: moves the keys to their parts, in the order of parts within each tile, so that neighbouring
// threads write neighbouring keys. `words`: shared memory, kMaxTile + 2 * kMaxParts.
__device__ inline void move_keys(const SortTask& task, const SortPart& part, const SortDigits& digits, SortNode& node,
                                 unsigned block, unsigned blocks, unsigned* words)
{
    unsigned* const counts = words + kMaxTile;    // of the tile; then where the part begins in it
    unsigned* const offsets = counts + kMaxParts; // from a key's place in the tile to its new place
    const SortArray& from = task.at(part.place);
    const SortArray& to = task.at(next_place(part.place));
    const unsigned tid = threadIdx.x;
    const unsigned tile = kKeysPerThread * blockDim.x;
    for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
        const unsigned keys_here = part.count - base < tile ? part.count - base : tile;
        unsigned rank[kKeysPerThread];
        unsigned place[kKeysPerThread]; // among the keys of its part, then in the tile
        load_tile(from.keys + part.first + base, keys_here, rank);
        __syncthreads();
        if (tid < digits.parts)
            counts[tid] = 0;
        __syncthreads();
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn) {
            rank[turn] = task.order.rank(rank[turn]);
            place[turn] = 0;
            if (turn * blockDim.x + tid < keys_here)
                place[turn] = atomicAdd(&counts[digit_of(part, digits, rank[turn])], 1U);
        }
        __syncthreads();
        const unsigned mine = tid < digits.parts ? counts[tid] : 0;
        ItemsAndBlocks total = 0;
        const auto before = static_cast<unsigned>(sum_before(mine, false, total));
        if (tid < digits.parts) {
            counts[tid] = before;
            if (mine != 0)
                offsets[tid] = atomicAdd(&node.cursors[tid], mine) - before;
        }
        __syncthreads();
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn)
            if (turn * blockDim.x + tid < keys_here) {
                place[turn] += counts[digit_of(part, digits, rank[turn])];
                words[place[turn]] = rank[turn];
            }
        __syncthreads();
        unsigned target[kKeysPerThread];
        load_tile(words, keys_here, rank);
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn)
            if (const unsigned index = turn * blockDim.x + tid; index < keys_here) {
                target[turn] = offsets[digit_of(part, digits, rank[turn])] + index;
                to.keys[target[turn]] = task.order.bits(rank[turn]);
            }
        if (from.values == nullptr)
            continue;
        load_tile(from.values + part.first + base, keys_here, rank);
        __syncthreads();
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn)
            if (turn * blockDim.x + tid < keys_here)
                words[place[turn]] = rank[turn];
        __syncthreads();
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn)
            if (const unsigned index = turn * blockDim.x + tid; index < keys_here)
                to.values[target[turn]] = words[index];
    }
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
    SortNode& node = task.nodes[item.node];
    if (item.step == SortStep::divide) {
        count_keys(task, part, digits, node, block, blocks, words);
        if (!block_arrives_last(&node.arrived, blocks))
            return SortStepEnd::done;
        next = narrowed(part, node);
        if (digit_of(part, digits, next.least) == digit_of(part, digits, next.most))
            return SortStepEnd::one_part;
        set_cursors(part, digits, node);
        return SortStepEnd::counted;
    }
    move_keys(task, part, digits, node, block, blocks, words);
    const unsigned digit = threadIdx.x;
    if (!block_arrives_last(&node.arrived, blocks) || digit >= digits.parts)
        return SortStepEnd::done;
    const unsigned keys = node.counts[digit];
    next = part_of(part, digits, digit, node.cursors[digit] - keys, keys);
    return keys == 0 ? SortStepEnd::done : SortStepEnd::moved;
}

} // namespace nestbed::inline NESTBED_BACKEND
