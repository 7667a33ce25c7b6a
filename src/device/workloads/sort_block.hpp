// What one block does to keys: it sorts a leaf, or counts how often each digit occurs. And what one thread does alone.
#pragma once

#include "device/parts/offer.hpp"
#include "model/sort.hpp"

#include <cstddef>

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMostSortThreads = 1024;
inline constexpr unsigned kMostTile = kKeysAThread * kMostSortThreads; // keys that a block takes at a time
inline constexpr unsigned kMostParts = 256;

// The counters of one division, on the device. Zero before every run.
struct SortNode {
    unsigned long long halves; // quick_sample: keys of the upper half and, in the lower 32 bits, of the lower half
    unsigned arrived;
    // Ranks of all keys of the part, or of its upper half if it is divided by two. The least is inverted, so that it is 0
    // before there is any.
    unsigned not_least, most;
    unsigned lower_not_least, lower_most;
    unsigned counts[kMostParts];  // keys of each part; divided by two: of the lower and of the upper half
    unsigned cursors[kMostParts]; // where the next keys of each part go
};

// Keys and, where they have some, their values.
struct SortArray {
    unsigned* keys;
    unsigned* values; // null: keys alone
};

struct SortTask {
    SortArray arrays[3]; // by SortPlace
    SortNode* nodes;
    unsigned* next_node; // of `nodes`: those before it are taken
    unsigned count;
    unsigned root_blocks;
    unsigned fanout, grain;
    KeyOrder order;
    unsigned long long* work; // keys read, once for every task that reads them

    __host__ __device__ const SortArray& at(SortPlace place) const { return arrays[static_cast<unsigned>(place)]; }
};

// Whether this block is the last of `blocks` to arrive. Then all of its threads see what the other blocks wrote. All
// threads of the block call it.
__device__ inline bool block_arrives_last(unsigned* arrived, unsigned blocks)
{
    BLOCK_SHARED(unsigned, last, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        last[0] = arrives_last(arrived, blocks) ? 1 : 0;
    __syncthreads();
    const bool is_last = last[0] != 0;
    __syncthreads();
    return is_last;
}

// The least and the largest of what the threads of a block give; `found` has two elements. All threads call it; a barrier
// must follow.
__device__ inline void gather_range(unsigned* found, unsigned least, unsigned most)
{
#ifdef __CUDACC__
    least = __reduce_min_sync(0xFFFFFFFFU, least);
    most = __reduce_max_sync(0xFFFFFFFFU, most);
    if (threadIdx.x % kLanes != 0)
        return;
#endif
    atomicMin(&found[0], least);
    atomicMax(&found[1], most);
}

// Elements of a shared array lie so that 32 lanes that read every 8th one meet 32 banks.
__device__ inline unsigned in_banks(unsigned index)
{
    return index + index / kLanes;
}
inline constexpr unsigned kLeafWords = kMostTile + kMostTile / kLanes;
// Where the values of a leaf begin; with values it has at most half as many keys.
inline constexpr unsigned kLeafValues = kLeafWords / 2;
inline constexpr unsigned kMostLeafPairs = kMostTile / 2;

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

// The block sorts `count` keys from one array to another, or in place, at the same positions: at most kKeysAThread for
// each thread, with values at most kMostLeafPairs. Stable.
__device__ inline void sort_leaf(unsigned* words, const SortArray& from, const SortArray& to, unsigned first,
                                 unsigned count, KeyOrder order)
{
    const bool pairs = from.values != nullptr;
    const unsigned own = threadIdx.x * kKeysAThread;
    __syncthreads(); // nobody still uses `words`
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
        words[in_banks(index)] = order.rank(from.keys[first + index]);
        if (pairs)
            words[kLeafValues + in_banks(index)] = from.values[first + index];
    }
    __syncthreads();
    ThreadKeys keys{};
    for (unsigned index = 0; index < kKeysAThread; ++index) {
        const bool there = own + index < count;
        keys.rank[index] = there ? words[in_banks(own + index)] : 0xFFFFFFFFU;
        keys.value[index] = there && pairs ? words[kLeafValues + in_banks(own + index)] : 0;
    }
    sort_in_thread(keys);
    for (unsigned width = kKeysAThread;; width *= 2) {
        for (unsigned index = 0; index < kKeysAThread; ++index)
            if (own + index < count) {
                words[in_banks(own + index)] = keys.rank[index];
                if (pairs)
                    words[kLeafValues + in_banks(own + index)] = keys.value[index];
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
                keys.value[index] = pairs ? words[kLeafValues + in_banks(place)] : 0;
            }
        }
        __syncthreads();
    }
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
        to.keys[first + index] = order.bits(words[in_banks(index)]);
        if (pairs)
            to.values[first + index] = words[kLeafValues + in_banks(index)];
    }
}

__device__ inline void copy_keys(const SortArray& from, const SortArray& to, unsigned first, unsigned count,
                                 unsigned thread, unsigned stride)
{
    for (unsigned index = thread; index < count; index += stride) {
        to.keys[first + index] = from.keys[first + index];
        if (from.values != nullptr)
            to.values[first + index] = from.values[first + index];
    }
}

__host__ __device__ inline void swap_keys(const SortArray& array, unsigned one, unsigned other)
{
    const unsigned key = array.keys[one];
    array.keys[one] = array.keys[other];
    array.keys[other] = key;
    if (array.values == nullptr)
        return;
    const unsigned value = array.values[one];
    array.values[one] = array.values[other];
    array.values[other] = value;
}

// For divide_in_place().
struct RankAt {
    const unsigned* keys;
    KeyOrder order;

    __host__ __device__ constexpr unsigned operator()(unsigned index) const { return order.rank(keys[index]); }
};
struct SwapKeys {
    SortArray array;
    unsigned first;

    __host__ __device__ void operator()(unsigned one, unsigned other) const
    {
        swap_keys(array, first + one, first + other);
    }
};

// One thread sorts keys in place (heapsort). Not stable.
__device__ inline void sort_alone(const SortArray& array, unsigned first, unsigned count, KeyOrder order)
{
    const auto rank = [&](unsigned index) { return order.rank(array.keys[first + index]); };
    unsigned heaped = count / 2; // keys from here on are a heap
    unsigned end = count;        // keys from here on are in their place
    while (end > 1) {
        if (heaped > 0) {
            --heaped;
        } else {
            --end;
            swap_keys(array, first, first + end);
        }
        for (unsigned root = heaped;;) {
            unsigned child = 2 * root + 1;
            if (child >= end)
                break;
            if (child + 1 < end && rank(child) < rank(child + 1))
                ++child;
            if (rank(root) >= rank(child))
                break;
            swap_keys(array, first + root, first + child);
            root = child;
        }
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
