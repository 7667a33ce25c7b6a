// What sorts and quadtrees do with keys: a block takes a tile of them, and swaps pairs.
#pragma once

#include "device/parts/in_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Keys and, where they have some, their values.
struct SortArray {
    unsigned* keys;
    unsigned* values; // null: keys alone
};

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

// What a thread takes of a tile that has `count` elements left: every blockDim.x-th, and 0 where there is none. All loads
// are before any use, so together they take about as long as one.
template <unsigned Count>
__device__ void load_tile(const unsigned* tile, unsigned count, unsigned (&taken)[Count])
{
    for (unsigned turn = 0; turn < Count; ++turn) {
        const unsigned index = turn * blockDim.x + threadIdx.x;
        taken[turn] = index < count ? tile[index] : 0;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
