// What blocks do at the end of their part: finish a recursion that is cut off, and tell who is the last.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Sums slice[0] to slice[2 * stride - 1] into *sum (slice[0] alone if stride is 0), pairwise, in place. All
// threads of the block call it; there are at least max(1, stride).
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

// For one thread of a block, behind a barrier: true if `blocks` blocks have arrived at the counter with this one, and
// then what all of them wrote before is visible to the caller. The counter begins at 0, and is 0 again after the last.
__device__ inline bool arrives_last(unsigned* arrived, unsigned blocks)
{
    const bool last = fetch_add_acq_rel(arrived, 1) == blocks - 1;
    if (last)
        store_relaxed(arrived, 0);
    return last;
}

} // namespace nestbed::inline NESTBED_BACKEND
