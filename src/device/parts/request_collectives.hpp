// Collectives of a warp and of a block for what threads request: lanes one after another, prefix sums, ranges. All threads
// of the warp, or of the block, call them. Blocks consist of whole warps.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kLanes = 32;

// Calls act() in each thread for which `acts` is true, one lane of a warp after another: lanes that launch together
// past the pending limit hang the GPU (results/findings.md). All threads of the warp call it.
template <class Act>
__device__ void one_lane_at_a_time(bool acts, const Act& act)
{
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, acts); left != 0; left &= left - 1) {
        if (threadIdx.x % kLanes == static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1))
            act();
        __syncwarp();
    }
}

// Items in the upper half and blocks in the lower half of one number, so that one sum adds both.
using ItemsAndBlocks = unsigned long long;
inline constexpr unsigned kItemsShift = 32;

// The sum over the threads before the caller in its warp, or in its block; `total` is the sum over all of them. All
// threads of the block call it.
__device__ inline ItemsAndBlocks exclusive_scan(ItemsAndBlocks mine, bool of_warp, ItemsAndBlocks& total)
{
    const unsigned tid = threadIdx.x;
    const unsigned lane = tid % kLanes;
    ItemsAndBlocks sum = mine;
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        const ItemsAndBlocks before = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
        if (lane >= distance)
            sum += before;
    }
    if (of_warp) {
        total = __shfl_sync(0xFFFFFFFFU, sum, kLanes - 1);
        return sum - mine;
    }
    BLOCK_SHARED(ItemsAndBlocks, sums, kLanes);
    __syncthreads(); // nobody still reads what was there before
    if (lane == kLanes - 1)
        sums[tid / kLanes] = sum;
    __syncthreads();
    total = 0;
    for (unsigned warp = 0; warp < blockDim.x / kLanes; ++warp) {
        if (warp == tid / kLanes)
            sum += total;
        total += sums[warp];
    }
    return sum - mine;
}

// The least and the largest of what the threads of a block give, in shared memory that nobody reads now. All threads call
// it; a barrier must follow.
__device__ inline void block_min_max(unsigned* found_least, unsigned* found_most, unsigned least, unsigned most)
{
    least = __reduce_min_sync(0xFFFFFFFFU, least);
    most = __reduce_max_sync(0xFFFFFFFFU, most);
    if (threadIdx.x % kLanes != 0)
        return;
    atomicMin(found_least, least);
    atomicMax(found_most, most);
}

} // namespace nestbed::inline NESTBED_BACKEND
