// What the reductions with a fixed grid share: threads that go over the whole input, one sum per block, and a second launch of
// one block over those.
#pragma once

#include "device/parts/collective.hpp"
#include "device/workloads/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The thread's numbers: those that are as many apart as the grid has threads.
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

// sums[0] + ... + sums[threads - 1] in sums[0], halving. All threads of the block call it.
template <class Sum>
__device__ void add_in_halves(Sum* sums, unsigned thread, unsigned threads)
{
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        if (thread < stride)
            sums[thread] += sums[thread + stride];
        __syncthreads();
    }
}

// Of a grid that goes over the input: at most so many blocks a multiprocessor, as in the article.
inline constexpr std::uint32_t kBlocksAMultiprocessor = 32;
inline constexpr std::uint32_t kMostMultiprocessors = 1024; // of any device

template <class T>
std::uint32_t grid_stride_blocks(const Reduction<T>& job)
{
    return std::min(job.grid, kBlocksAMultiprocessor * job.context.facts().multiprocessors);
}

// What such strategies have in common.
struct GridStride {
    static constexpr Answer answer = Answer::total;

    static std::uint64_t scratch_bytes(const Case& point)
    {
        return std::min(point.grid, kBlocksAMultiprocessor * kMostMultiprocessors) * sizeof(std::int64_t);
    }

    template <class T>
    static Buffer<WideSum<T>> prepare(const Reduction<T>& job)
    {
        return job.context.template allocate<WideSum<T>>(grid_stride_blocks(job), "partial");
    }
};

// One kernel over the input, a sum a block; then, if that leaves more than one sum, the other over the sums, in one block.
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
