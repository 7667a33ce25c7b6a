// Sums over the threads of a warp and of a block. All threads of the warp, or of the block, must call these functions, and a block
// must consist of whole warps.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kMaxThreads = 1024;

// Returns the sum over the warp in its lane 0.
template <class Sum>
__device__ Sum warp_sum(Sum value)
{
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xFFFFFFFFU, value, distance);
    return value;
}

// Returns the sum over the block in thread 0. Again: set it if the block may have called this function before.
template <bool Again = true, class Sum>
__device__ Sum block_sum(Sum value)
{
    BLOCK_SHARED(Sum, sums, kWarp);
    value = warp_sum(value);
    if constexpr (Again)
        __syncthreads(); // no thread still reads the previous values
    if (threadIdx.x % kWarp == 0)
        sums[threadIdx.x / kWarp] = value;
    __syncthreads();
    return warp_sum(threadIdx.x < blockDim.x / kWarp ? sums[threadIdx.x] : Sum{});
}

} // namespace nestbed::inline NESTBED_BACKEND
