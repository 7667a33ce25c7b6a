// complete_unroll: unroll8_warp with the block size known to the compiler, which leaves no loop.
//
//     thread t: slice[t] = slice[t] + slice[t + block] + ... + slice[t + 7 * block]
//     barrier
//     for each stride of 512, 256, 128, 64, 32 that is less than the block, one after another:
//         thread t < stride: slice[t] += slice[t + stride]
//         barrier
//     the first warp: sum of slice[0] to slice[31], by shuffles
//
// Launches: none from the device.
// Hazards: none: a barrier between the levels, shuffles within the warp.
// Source: Professional CUDA C Programming, chapter 3, "reduceCompleteUnroll", a template ("reduceCompleteUnrollWarps8").
#include "device/parts/slices.hpp"
#include "device/workloads/reduction.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
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
    const auto level = [&]<unsigned Stride>() {
        if constexpr (2 * Stride <= Dim) {
            if (tid < Stride && first + tid + Stride < elements)
                slice[tid] += slice[tid + Stride];
            __syncthreads();
        }
    };
    level.template operator()<512>();
    level.template operator()<256>();
    level.template operator()<128>();
    level.template operator()<64>();
    level.template operator()<32>();
    constexpr unsigned kLeft = Dim < kWarp ? Dim : kWarp;
    const T sum = warp_sum(tid < kLeft && first + tid < elements ? slice[tid] : T{0});
    if (tid == 0)
        out[blockIdx.x] = sum;
}

struct CompleteUnroll {
    static constexpr StrategyInfo info{
        .name = "complete_unroll",
        .workload = "reduce",
        .summary = "flat: unroll8_warp, compiled for each block size",
        .hazards = "none: a barrier between the levels, shuffles within the warp",
        .source = "Professional CUDA C Programming, ch. 3, reduceCompleteUnroll",
    };
    static constexpr unsigned blocks_a_sum = 8;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::none(); }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_for<T, kMostThreads>(job);
    }

  private:
    // The kernel of the job's block size, of the eleven from `Dim` down to 1.
    template <class T, unsigned Dim>
    static void launch_for(const Reduction<T>& job)
    {
        if (job.block == Dim)
            launch<T, Dim>(job);
        else if constexpr (Dim > 1)
            launch_for<T, Dim / 2>(job);
    }

    template <class T, unsigned Dim>
    static void launch(const Reduction<T>& job)
    {
        for_each_wave(job, [&](const ReductionWave<T>& wave) {
            host_launch<reduce_complete_unroll<T, Dim>>(
                job.context, wave.stream, {(wave.blocks - 1) / blocks_a_sum + 1, std::max(Dim, kWarp)}, wave.in,
                wave.out, static_cast<unsigned long long>(wave.elements));
        });
    }
};

const RegisterReduction<CompleteUnroll> complete_unroll;

} // namespace NESTBED_BACKEND
} // namespace nestbed
