// The task of a sort on the device, and what one block or one thread does to keys.
#pragma once

#include "device/parts/request_collectives.hpp"
#include "device/parts/tile.hpp"
#include "workloads/sort/sort_reference.hpp"

#include <cstddef>

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kMaxSortThreads = 1024;
inline constexpr unsigned kMaxTile = kKeysPerThread * kMaxSortThreads; // keys that a block takes at a time
inline constexpr unsigned kMaxParts = 256;

// The counters of one division, on the device. Zero before every run.
struct SortNode {
    unsigned long long halves; // quick_sample: keys of the upper half and, in the lower 32 bits, of the lower half
    unsigned arrived;
    // Ranks of all keys of the part, or of its upper half if it is divided by two. The least is inverted, so that it is 0
    // before there is any.
    unsigned not_least, most;
    unsigned lower_not_least, lower_most;
    unsigned counts[kMaxParts];  // keys of each part; divided by two: of the lower and of the upper half
    unsigned cursors[kMaxParts]; // where the next keys of each part go
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

__device__ inline void copy_keys(const SortArray& from, const SortArray& to, unsigned first, unsigned count,
                                 unsigned thread, unsigned stride)
{
    for (unsigned index = thread; index < count; index += stride) {
        to.keys[first + index] = from.keys[first + index];
        if (from.values != nullptr)
            to.values[first + index] = from.values[first + index];
    }
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
__device__ inline void sort_serially(const SortArray& array, unsigned first, unsigned count, KeyOrder order)
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
