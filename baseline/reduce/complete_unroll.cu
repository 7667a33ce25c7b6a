// complete_unroll: unroll8_warp with a block size known at compile time, so that no loop remains.
//
//     thread t: slice[t] = slice[t] + slice[t + block] + ... + slice[t + 7 * block]
//     barrier
//     for each stride of 512, 256, 128, 64, 32 that is less than the block, one after another:
//         thread t < stride: slice[t] += slice[t + stride]
//         barrier
//     the first warp: sum of slice[0] to slice[31], by shuffles
//
// Launches: none from the device.
// Hazards: none. There is a barrier between the levels, and shuffles need no barrier within the warp.
// Source: Professional CUDA C Programming, chapter 3, "reduceCompleteUnroll", a template ("reduceCompleteUnrollWarps8").
#include "device/parts/slices.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, unsigned Dim>
__global__ void reduce_complete_unroll(T* in, T* out, unsigned long long elements)
{
    constexpr unsigned kSlices = 8;
    const unsigned tid = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * kSlices * Dim;
    T* slice = in + first;
    if (tid < Dim && first + tid < elements)
        slice[tid] = sum_of_slices<kSlices>(slice, tid, Dim, elements - first);
    __syncthreads();
    for (unsigned stride = Dim / 2; stride >= kWarp; stride /= 2) { // unrolled: Dim is a constant
        if (tid < stride && first + tid + stride < elements)
            slice[tid] += slice[tid + stride];
        __syncthreads();
    }
    constexpr unsigned kLeft = Dim < kWarp ? Dim : kWarp;
    const T sum = warp_sum(tid < kLeft && first + tid < elements ? slice[tid] : T{0});
    if (tid == 0)
        out[blockIdx.x] = sum;
}

struct CompleteUnroll {
    static constexpr StrategyInfo info{
        .name = "complete_unroll",
        .workload = &workloads::reduce,
        .summary = "flat: unroll8_warp, compiled for each block size",
        .hazards = "none: a barrier between the levels; shuffles within the warp",
        .source = "Professional CUDA C Programming, ch. 3, reduceCompleteUnroll",
    };
    static constexpr unsigned blocks_per_sum = 8;

    // Calls the kernel for the job's block size. There are eleven kernels, for block sizes from 1024 down to 1.
    template <class T, unsigned Dim = kMaxThreads>
    static void run(const Reduction<T>& job)
    {
        if constexpr (Dim > 1)
            if (job.block < Dim)
                return run<T, Dim / 2>(job);
        host_launch<reduce_complete_unroll<T, Dim>>(
            job.context, {(job.grid - 1) / blocks_per_sum + 1, std::max(Dim, kWarp)}, job.in, job.out, job.elements);
    }
};

const Register<CompleteUnroll, ReduceTraits> complete_unroll;

} // namespace nestbed::inline NESTBED_BACKEND
