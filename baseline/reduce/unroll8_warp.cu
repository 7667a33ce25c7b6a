// unroll8_warp: eight slices per block; only the first warp does the last steps.
//
//     thread t: slice[t] = slice[t] + slice[t + block] + ... + slice[t + 7 * block]
//     barrier
//     for stride = block/2, block/4, ... 32:
//         thread t < stride: slice[t] += slice[t + stride]
//         barrier
//     the first warp: sum of slice[0] to slice[31], by shuffles
//
// Launches: none from the device.
// Hazards: none. There is a barrier between the levels, and shuffles need no barrier within the warp. (In the article
// the threads of a warp read what the other threads write. The order relies on `volatile` and lockstep execution, but
// devices since Volta do not run in lockstep. If the eight slices are not complete, the article skips all but the
// first.)
// Source: Professional CUDA C Programming, chapter 3, "reduceUnrollWarps8".
#include "device/parts/slices.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A slice has `dim` numbers. If `dim` is less than a warp, the block has more threads than that; they add nothing.
template <class T>
__global__ void reduce_unroll8_warp(T* in, T* out, unsigned long long elements, unsigned dim)
{
    constexpr unsigned kSlices = 8;
    const unsigned tid = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * kSlices * dim;
    T* slice = in + first;
    if (tid < dim && first + tid < elements)
        slice[tid] = sum_of_slices<kSlices>(slice, tid, dim, elements - first);
    __syncthreads();
    for (unsigned stride = dim / 2; stride >= kWarp; stride /= 2) {
        if (tid < stride && first + tid + stride < elements)
            slice[tid] += slice[tid + stride];
        __syncthreads();
    }
    const unsigned left = dim < kWarp ? dim : kWarp;
    const T sum = warp_sum(tid < left && first + tid < elements ? slice[tid] : T{0});
    if (tid == 0)
        out[blockIdx.x] = sum;
}

struct Unroll8Warp {
    static constexpr StrategyInfo info{
        .name = "unroll8_warp",
        .workload = &workloads::reduce,
        .summary = "flat: a thread first adds eight numbers; one warp does the last steps",
        .hazards = "none: a barrier between the levels; shuffles within the warp",
        .source = "Professional CUDA C Programming, ch. 3, reduceUnrollWarps8",
    };
    static constexpr unsigned blocks_per_sum = 8;

    template <class T>
    static void run(const Reduction<T>& job)
    {
        host_launch<reduce_unroll8_warp<T>>(job.context,
                                            {(job.grid - 1) / blocks_per_sum + 1, std::max(job.block, kWarp)}, job.in,
                                            job.out, job.elements, job.block);
    }
};

const Register<Unroll8Warp, ReduceTraits> unroll8_warp;

} // namespace nestbed::inline NESTBED_BACKEND
