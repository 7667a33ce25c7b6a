// The kernel of the strategies last_block, last_block_rdc, last_block_inline and last_block_noinline: one text, compiled
// in four ways, to see what relocatable device code and a launch that is never taken cost a flat kernel.
#pragma once

#include "flat_sum.hpp"
#include "reduction.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

enum class Compiled : std::uint8_t { without_rdc, with_rdc, with_launch_inline, with_launch_noinline };

// The launch is taken when `taken` says so, which it never does; the compiler does not know.
template <class T, Compiled How>
__global__ void sum_last_block(const __grid_constant__ FlatJob<T> job, bool taken);

#ifndef NESTBED_FLAT
template <class T, Compiled How>
__device__ __forceinline__ void launch_again(const FlatJob<T>& job)
{
    device_launch<sum_last_block<T, How>, Mechanism::null_stream>({gridDim.x, kFlatThreads}, job, false);
}
template <class T, Compiled How>
__device__ __noinline__ void launch_again_out_of_line(const FlatJob<T>& job)
{
    launch_again<T, How>(job);
}
#endif

template <class T, Compiled How>
__global__ void __launch_bounds__(kFlatThreads, kFlatBound)
    sum_last_block(const __grid_constant__ FlatJob<T> job, bool taken)
{
    const bool finished = finish_flat(sum_of_runs(job, true), blockIdx.x, job);
#ifndef NESTBED_FLAT
    if constexpr (How == Compiled::with_launch_inline) {
        if (finished && taken)
            launch_again<T, How>(job);
    }
    if constexpr (How == Compiled::with_launch_noinline) {
        if (finished && taken)
            launch_again_out_of_line<T, How>(job);
    }
#endif
    static_cast<void>(finished && taken);
}

template <Compiled How>
struct LastBlockStrategy {
    static constexpr Answer answer = Answer::total;

    static LaunchForm launches(const Case& /*point*/) { return LaunchForm::none(); }

    // As many blocks as are resident at once, the same for all four ways; fewer where there are fewer tiles.
    template <class T>
    static std::uint32_t blocks(const Reduction<T>& job)
    {
        return static_cast<std::uint32_t>(std::min(std::uint64_t{kFlatResident} * job.context.facts().multiprocessors,
                                                   job.elements / kTileElements + 1));
    }

    template <class T>
    static FlatScratch<T> prepare(const Reduction<T>& job)
    {
        return {job.context, blocks(job)};
    }

    template <class T>
    static void run(const Reduction<T>& job, const FlatScratch<T>& scratch)
    {
        const std::uint32_t grid = blocks(job);
        host_launch<sum_last_block<T, How>>(job.context, 0, {grid, kFlatThreads},
                                            flat_job<T>(job.in, job.elements, grid, grid, job.total, scratch), false);
    }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
