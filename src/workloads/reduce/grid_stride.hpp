// Shared by the reductions with a fixed grid: threads that loop over the whole input, one sum per block, and a second
// launch with one block that adds these sums.
#pragma once

#include "device/parts/collective.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Sums the numbers of the thread in a grid-stride loop: they are as far apart as the grid has threads.
template <class Sum, class In>
__device__ Sum grid_stride_sum(const In* in, unsigned long long elements)
{
    Sum sum{};
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long index = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
         index < elements; index += stride)
        sum += in[index];
    return sum;
}

// Adds sums[0] to sums[threads - 1] into sums[0], in halving steps. All threads of the block must call it.
template <class Sum>
__device__ void add_in_halves(Sum* sums, unsigned thread, unsigned threads)
{
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        if (thread < stride)
            sums[thread] += sums[thread + stride];
        __syncthreads();
    }
}

// Maximum number of blocks per multiprocessor for a grid that loops over the input, as in the article.
inline constexpr std::uint32_t kBlocksPerMultiprocessor = 32;
inline constexpr std::uint32_t kMaxMultiprocessors = 1024; // for any device

template <class T>
std::uint32_t grid_stride_blocks(const Reduction<T>& job)
{
    return std::min(job.grid, kBlocksPerMultiprocessor * job.context.facts().multiprocessors);
}

// What these strategies have in common.
struct GridStride {
    static constexpr Answer answer = Answer::total;

    static std::uint64_t scratch_bytes(const Case& point)
    {
        return std::min(point.grid, kBlocksPerMultiprocessor * kMaxMultiprocessors) * sizeof(std::int64_t);
    }

    template <class T>
    static Buffer<WideSum<T>> prepare(const Reduction<T>& job)
    {
        return job.context.template allocate<WideSum<T>>(grid_stride_blocks(job), "partial");
    }
};

// Launches one kernel over the input, which leaves one sum per block. If there is more than one sum, also launches
// the other kernel over the sums, in one block.
template <auto OverInput, auto OverSums, class T>
void launch_grid_stride(const Reduction<T>& job, const Buffer<WideSum<T>>& sums)
{
    const std::uint32_t blocks = grid_stride_blocks(job);
    WideSum<T>* const to = blocks == 1 ? job.total : sums.data();
    host_launch<OverInput>(job.context, {blocks, job.block}, job.in, job.elements, to);
    if (blocks > 1)
        host_launch<OverSums>(job.context, {1, job.block}, to, blocks, job.total);
}

} // namespace nestbed::inline NESTBED_BACKEND
