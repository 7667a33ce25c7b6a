// How a block sorts a leaf: by one distribution into buckets, or by merging if too many keys have the same bucket.
#pragma once

#include "device/workloads/sort_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMostOfBucket = 32;             // keys. A key is compared with all keys of its bucket
inline constexpr unsigned kMostLeafPairs = kMostTile / 2; // keys of a leaf with values
// Shared words of a block that sorts leaves: the keys, their values in the second half, and the buckets.
inline constexpr unsigned kLeafWords = kMostTile + kMostBuckets;

// False, and nothing is written, if a bucket has different keys, and more than kMostOfBucket. All threads of the block
// return the same. Not stable.
__device__ inline bool distribute_leaf(unsigned* words, const SortTask& task, const SortPart& part)
{
    const SortArray& from = task.at(part.place);
    const SortArray& to = task.at(SortPlace::out);
    const SortDigits buckets = buckets_of(part);
    const bool pairs = from.values != nullptr;
    unsigned* const values = words + kMostTile / 2;
    unsigned* const starts = words + kMostTile; // keys of each bucket; then where it begins
    const unsigned tid = threadIdx.x;
    unsigned rank[kKeysAThread];
    unsigned place[kKeysAThread]; // among the keys of its bucket
    load_tile(from.keys + part.first, part.count, rank);
    __syncthreads(); // nobody still uses `words`
    for (unsigned bucket = tid; bucket < buckets.parts; bucket += blockDim.x)
        starts[bucket] = 0;
    __syncthreads();
    for (unsigned turn = 0; turn < kKeysAThread; ++turn) {
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
        crowded |= starts[bucket] > kMostOfBucket && buckets.shift != 0 ? 1 : 0;
    }
    ItemsAndBlocks total = 0; // crowded threads in the upper half, keys in the lower half
    const ItemsAndBlocks before = sum_before(ItemsAndBlocks{crowded} << kItemsShift | keys, false, total);
    if (total >> kItemsShift != 0)
        return false;
    auto start = static_cast<unsigned>(before);
    for (unsigned bucket = begin; bucket < end; ++bucket) {
        const unsigned next = start + starts[bucket];
        starts[bucket] = start;
        start = next;
    }
    __syncthreads();
    for (unsigned turn = 0; turn < kKeysAThread; ++turn)
        if (turn * blockDim.x + tid < part.count) {
            place[turn] += starts[digit_of(part, buckets, rank[turn])];
            words[place[turn]] = rank[turn];
        }
    if (pairs) {
        load_tile(from.values + part.first, part.count, rank);
        for (unsigned turn = 0; turn < kKeysAThread; ++turn)
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

// Elements of a shared array lie so that 32 lanes that read every 8th one meet 32 banks.
__device__ inline unsigned in_banks(unsigned index)
{
    return index + index / kLanes;
}
inline constexpr unsigned kMergeWords = kMostTile + kMostTile / kLanes;
static_assert(kMergeWords <= kLeafWords);
inline constexpr unsigned kMergeValues = kMergeWords / 2; // where the values begin

// The ranks [first, end) of one thread, and their values, in registers.
struct ThreadKeys {
    unsigned rank[kKeysAThread];
    unsigned value[kKeysAThread];
};

// Odd-even transposition, which is stable.
__device__ inline void sort_in_thread(ThreadKeys& keys)
{
    for (unsigned round = 0; round < kKeysAThread; ++round)
        for (unsigned index = round % 2; index + 1 < kKeysAThread; index += 2)
            if (keys.rank[index] > keys.rank[index + 1]) {
                const unsigned rank = keys.rank[index];
                const unsigned value = keys.value[index];
                keys.rank[index] = keys.rank[index + 1];
                keys.value[index] = keys.value[index + 1];
                keys.rank[index + 1] = rank;
                keys.value[index + 1] = value;
            }
}

// How many of the first `diagonal` elements of the merged sequence come from a, which has a_count elements; b, which
// follows it in `words` from b_first on, has b_count. Equal ones of a come first.
// Source: Green, McColl, Bader, "GPU Merge Path", ICS 2012.
__device__ inline unsigned merge_path(const unsigned* words, unsigned a_first, unsigned a_count, unsigned b_first,
                                      unsigned b_count, unsigned diagonal)
{
    unsigned low = diagonal > b_count ? diagonal - b_count : 0;
    unsigned high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (words[in_banks(a_first + middle)] <= words[in_banks(b_first + diagonal - 1 - middle)])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// By merging in shared memory: in a time that does not depend on the keys.
__device__ inline void merge_leaf(unsigned* words, const SortTask& task, const SortPart& part)
{
    const SortArray& from = task.at(part.place);
    const SortArray& to = task.at(SortPlace::out);
    const KeyOrder order = task.order;
    const unsigned first = part.first;
    const unsigned count = part.count;
    const bool pairs = from.values != nullptr;
    const unsigned own = threadIdx.x * kKeysAThread;
    __syncthreads(); // nobody still uses `words`
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
        words[in_banks(index)] = order.rank(from.keys[first + index]);
        if (pairs)
            words[kMergeValues + in_banks(index)] = from.values[first + index];
    }
    __syncthreads();
    ThreadKeys keys{};
    for (unsigned index = 0; index < kKeysAThread; ++index) {
        const bool there = own + index < count;
        keys.rank[index] = there ? words[in_banks(own + index)] : 0xFFFFFFFFU;
        keys.value[index] = there && pairs ? words[kMergeValues + in_banks(own + index)] : 0;
    }
    sort_in_thread(keys);
    for (unsigned width = kKeysAThread;; width *= 2) {
        for (unsigned index = 0; index < kKeysAThread; ++index)
            if (own + index < count) {
                words[in_banks(own + index)] = keys.rank[index];
                if (pairs)
                    words[kMergeValues + in_banks(own + index)] = keys.value[index];
            }
        __syncthreads();
        if (width >= count)
            break;
        if (own < count) {
            const unsigned a_first = own / (2 * width) * (2 * width);
            const unsigned a_end = a_first + width < count ? a_first + width : count;
            const unsigned b_end = a_end + width < count ? a_end + width : count;
            const unsigned diagonal = own - a_first;
            unsigned a = a_first + merge_path(words, a_first, a_end - a_first, a_end, b_end - a_end, diagonal);
            unsigned b = a_end + (own - a);
            for (unsigned index = 0; index < kKeysAThread; ++index) {
                if (own + index >= count)
                    break;
                const bool of_a = a < a_end && (b >= b_end || words[in_banks(a)] <= words[in_banks(b)]);
                const unsigned place = of_a ? a++ : b++;
                keys.rank[index] = words[in_banks(place)];
                keys.value[index] = pairs ? words[kMergeValues + in_banks(place)] : 0;
            }
        }
        __syncthreads();
    }
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
        to.keys[first + index] = order.bits(words[in_banks(index)]);
        if (pairs)
            to.values[first + index] = words[kMergeValues + in_banks(index)];
    }
}

// The block sorts a part to the same positions of the output: at most kKeysAThread keys for each thread, with values at
// most kMostLeafPairs. `words`: kLeafWords of shared memory. Not stable.
__device__ inline void sort_leaf(unsigned* words, const SortTask& task, const SortPart& part)
{
    if (!distribute_leaf(words, task, part))
        merge_leaf(words, task, part);
}

} // namespace nestbed::inline NESTBED_BACKEND
