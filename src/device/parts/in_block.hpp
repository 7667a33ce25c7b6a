// What blocks do at the end of their part: finish a recursion that was cut off, detect which block is the last, and find
// the part of an index.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Sums slice[0] to slice[2 * stride - 1] into *sum, pairwise and in place (only slice[0] if stride is 0). All threads
// of the block must call it. The block has at least max(1, stride) threads.
template <class T>
__device__ void finish_in_block(T* slice, unsigned stride, T* sum)
{
    for (; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            slice[threadIdx.x] += slice[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = slice[0];
}

// Call it from one thread of a block, after a barrier. Returns true if this block is the last of `blocks` blocks to
// arrive at the counter. Then everything that all of them wrote before is visible to the caller. The counter starts
// at 0 and is 0 again after the last arrival.
__device__ inline bool is_last_block(unsigned* arrived, unsigned blocks)
{
    const bool last = fetch_add_acq_rel(arrived, 1) == blocks - 1;
    if (last)
        store_relaxed(arrived, 0);
    return last;
}

// Whether this block is the last of `blocks` to arrive. Then all of its threads see what the other blocks wrote. All
// threads of the block call it.
__device__ inline bool block_arrives_last(unsigned* arrived, unsigned blocks)
{
    BLOCK_SHARED(unsigned, last, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        last[0] = is_last_block(arrived, blocks) ? 1 : 0;
    __syncthreads();
    return last[0] != 0; // the first barrier of the next call is before the next write
}

// The first index up to `count` whose start is beyond `place`, by binary search; starts rise from 0. So what begins at
// the index before it contains `place`.
template <class StartOf>
__device__ unsigned upper_bound(unsigned count, unsigned place, const StartOf& start_of)
{
    unsigned low = 1; // the first start is 0
    for (unsigned end = count; low < end;) {
        const unsigned middle = low + (end - low) / 2;
        if (start_of(middle) <= place)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

} // namespace nestbed::inline NESTBED_BACKEND
