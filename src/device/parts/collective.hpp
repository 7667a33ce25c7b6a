// Sums over the threads of a warp and of a block: by shuffles on a GPU; on the executor, which has none, in the
// block's shared memory. All threads of the block call them; blocks have whole warps.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kMostThreads = 1024;

// The sum over the warp, in its lane 0.
template <class Sum>
__device__ Sum warp_sum(Sum value)
{
#ifdef __CUDACC__
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xFFFFFFFFU, value, distance);
    return value;
#else
    BLOCK_SHARED(Sum, values, kMostThreads);
    const unsigned tid = threadIdx.x;
    __syncthreads(); // nobody reads what was there before
    values[tid] = value;
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (tid % kWarp < distance)
            values[tid] += values[tid + distance];
    }
    return values[tid];
#endif
}

// The sum over the block, in thread 0. Again: the block may have called it before.
template <bool Again = true, class Sum>
__device__ Sum block_sum(Sum value)
{
    BLOCK_SHARED(Sum, sums, kWarp);
    value = warp_sum(value);
    if constexpr (Again)
        __syncthreads(); // nobody reads what was there before
    if (threadIdx.x % kWarp == 0)
        sums[threadIdx.x / kWarp] = value;
    __syncthreads();
    return warp_sum(threadIdx.x < blockDim.x / kWarp ? sums[threadIdx.x] : Sum{});
}

} // namespace nestbed::inline NESTBED_BACKEND
