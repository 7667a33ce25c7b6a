// The end of a recursion that is cut off: the block does the rest itself.
#pragma once

#include "../src/backend/language.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
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

} // namespace NESTBED_BACKEND
} // namespace nestbed
