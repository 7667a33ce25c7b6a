// What the reductions with a fixed grid share: threads that go over the whole input, a sum a block, and a second launch of
// one block over those.
#pragma once

#include "device/parts/collective.hpp"
#include "device/workloads/reduction.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
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

// The block's sums, one a thread, in shared memory.
template <class Sum>
__device__ Sum* sums_of_threads()
{
    struct Sums {
        Sum of[kMostThreads];
    };
    return block_shared<Sums>().of;
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

// First over the input, then, if that leaves more than one sum, by one block over the sums: S has
//     template <class In, class Sum> kernel(const In*, unsigned long long, Sum*)
template <class S>
struct GridStrideStrategy {
    static constexpr Answer answer = Answer::total;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::none(); }

    static std::uint64_t scratch_bytes(const Case& point)
    {
        return std::min(point.grid, kBlocksAMultiprocessor * kMostMultiprocessors) * sizeof(std::int64_t);
    }

    template <class T>
    static Buffer<WideSum<T>> prepare(const Reduction<T>& job)
    {
        return job.context.template allocate<WideSum<T>>(grid_stride_blocks(job));
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<WideSum<T>>& sums)
    {
        using Sum = WideSum<T>;
        const std::uint32_t blocks = grid_stride_blocks(job);
        Sum* const to = blocks == 1 ? job.total : sums.data();
        host_launch<S::template kernel<T, Sum>>(job.context, 0, {blocks, job.block}, static_cast<const T*>(job.in),
                                                static_cast<unsigned long long>(job.elements), to);
        if (blocks > 1)
            host_launch<S::template kernel<Sum, Sum>>(job.context, 0, {1, job.block}, static_cast<const Sum*>(to),
                                                      static_cast<unsigned long long>(blocks), job.total);
    }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
