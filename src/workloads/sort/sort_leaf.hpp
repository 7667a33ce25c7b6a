// How a block sorts a leaf: by one distribution into buckets, or by a network if too many keys have the same bucket.
#pragma once

#include "workloads/sort/sort_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMaxOfBucket = 32;            // keys. A key is compared with all keys of its bucket
inline constexpr unsigned kMaxLeafPairs = kMaxTile / 2; // keys of a leaf with values
// Shared words of a block that sorts leaves: the keys, their values in the second half, and the buckets.
inline constexpr unsigned kLeafWords = kMaxTile + kMaxBuckets;

// False, and nothing is written, if a bucket has different keys, and more than kMaxOfBucket. All threads of the block
// return the same. Not stable.
__device__ inline bool distribute_leaf(unsigned* words, const SortTask& task, const SortPart& part)
{
    const SortArray& from = task.at(part.place);
    const SortArray& to = task.at(SortPlace::out);
    const SortDigits buckets = buckets_of(part);
    const bool pairs = from.values != nullptr;
    unsigned* const values = words + kMaxTile / 2;
    unsigned* const starts = words + kMaxTile; // keys of each bucket; then where it begins
    const unsigned tid = threadIdx.x;
    unsigned rank[kKeysPerThread];
    unsigned place[kKeysPerThread]; // among the keys of its bucket
    load_tile(from.keys + part.first, part.count, rank);
    __syncthreads(); // nobody still uses `words`
    for (unsigned bucket = tid; bucket < buckets.parts; bucket += blockDim.x)
        starts[bucket] = 0;
    __syncthreads();
    for (unsigned turn = 0; turn < kKeysPerThread; ++turn) {
        place[turn] = 0;
        rank[turn] = task.order.rank(rank[turn]);
        if (turn * blockDim.x + tid < part.count)
            place[turn] = atomicAdd(&starts[digit_of(part, buckets, rank[turn])], 1U);
    }
    __syncthreads();
    const unsigned own = (buckets.parts - 1) / blockDim.x + 1; // neighbouring buckets of each thread
    const unsigned begin = tid * own < buckets.parts ? tid * own : buckets.parts;
    const unsigned end = begin + own < buckets.parts ? begin + own : buckets.parts;
    unsigned keys = 0;
    unsigned crowded = 0;
    for (unsigned bucket = begin; bucket < end; ++bucket) {
        keys += starts[bucket];
        crowded |= starts[bucket] > kMaxOfBucket && buckets.shift != 0 ? 1 : 0;
    }
    ItemsAndBlocks total = 0; // crowded threads in the upper half, keys in the lower half
    const ItemsAndBlocks before = exclusive_scan(ItemsAndBlocks{crowded} << kItemsShift | keys, false, total);
    if (total >> kItemsShift != 0)
        return false;
    auto start = static_cast<unsigned>(before);
    for (unsigned bucket = begin; bucket < end; ++bucket) {
        const unsigned next = start + starts[bucket];
        starts[bucket] = start;
        start = next;
    }
    __syncthreads();
    for (unsigned turn = 0; turn < kKeysPerThread; ++turn)
        if (turn * blockDim.x + tid < part.count) {
            place[turn] += starts[digit_of(part, buckets, rank[turn])];
            words[place[turn]] = rank[turn];
        }
    if (pairs) {
        load_tile(from.values + part.first, part.count, rank);
        for (unsigned turn = 0; turn < kKeysPerThread; ++turn)
            if (turn * blockDim.x + tid < part.count)
                values[place[turn]] = rank[turn];
    }
    __syncthreads();
    for (unsigned index = tid; index < part.count; index += blockDim.x) {
        const unsigned mine = words[index];
        const unsigned bucket = digit_of(part, buckets, mine);
        unsigned target = index;
        if (buckets.shift != 0) { // otherwise all keys of a bucket are equal
            const unsigned first = starts[bucket];
            const unsigned last = bucket + 1 < buckets.parts ? starts[bucket + 1] : part.count;
            target = first;
            for (unsigned other = first; other < last; ++other)
                target += words[other] < mine || (words[other] == mine && other < index) ? 1 : 0;
        }
        to.keys[part.first + target] = task.order.bits(mine);
        if (pairs)
            to.values[part.first + target] = values[index];
    }
    return true;
}

// By a bitonic network in shared memory, in a time that does not depend on the keys. Every comparator puts the larger
// key behind, so places from part.count on need no keys: theirs would be larger than all others and never move.
// Source: Batcher, "Sorting networks and their applications", AFIPS 1968 (the bitonic sorter).
__device__ inline void sort_by_network(unsigned* words, const SortTask& task, const SortPart& part)
{
    const SortArray& from = task.at(part.place);
    const SortArray& to = task.at(SortPlace::out);
    const bool pairs = from.values != nullptr;
    unsigned* const values = words + kMaxTile / 2;
    const unsigned tid = threadIdx.x;
    __syncthreads(); // nobody still uses `words`
    for (unsigned index = tid; index < part.count; index += blockDim.x) {
        words[index] = task.order.rank(from.keys[part.first + index]);
        if (pairs)
            values[index] = from.values[part.first + index];
    }
    for (unsigned sorted = 1; sorted < part.count; sorted *= 2) // two neighbouring runs of so many keys become one
        for (unsigned step = sorted; step > 0; step /= 2) {
            __syncthreads();
            for (unsigned pair = tid; pair < part.count; pair += blockDim.x) {
                const unsigned one = pair / step * 2 * step + pair % step;
                // The first step of a merge compares the keys from the outside in, the others at a distance.
                const unsigned other = step == sorted ? one + 2 * (step - pair % step) - 1 : one + step;
                if (other >= part.count || words[one] <= words[other])
                    continue;
                const unsigned key = words[one];
                words[one] = words[other];
                words[other] = key;
                if (pairs) {
                    const unsigned value = values[one];
                    values[one] = values[other];
                    values[other] = value;
                }
            }
        }
    __syncthreads();
    for (unsigned index = tid; index < part.count; index += blockDim.x) {
        to.keys[part.first + index] = task.order.bits(words[index]);
        if (pairs)
            to.values[part.first + index] = values[index];
    }
}

// The block sorts a part to the same positions of the output: at most kKeysPerThread keys for each thread, with values at
// most kMaxLeafPairs. `words`: kLeafWords of shared memory. Not stable.
__device__ inline void sort_leaf(unsigned* words, const SortTask& task, const SortPart& part)
{
    if (!distribute_leaf(words, task, part))
        sort_by_network(words, task, part);
}

} // namespace nestbed::inline NESTBED_BACKEND
