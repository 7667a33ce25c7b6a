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
__global__ void sum_last_block(FlatPart<T> part, FlatSums<T> sums, bool taken);

#ifndef NESTBED_FLAT
template <class T, Compiled How>
__device__ __forceinline__ void launch_again(const FlatPart<T>& part, const FlatSums<T>& sums)
{
    device_launch<sum_last_block<T, How>, Mechanism::null_stream>({gridDim.x, kFlatThreads}, part, sums, false);
}
template <class T, Compiled How>
__device__ __noinline__ void launch_again_out_of_line(const FlatPart<T>& part, const FlatSums<T>& sums)
{
    launch_again<T, How>(part, sums);
}
#endif

template <class T, Compiled How>
__global__ void sum_last_block(FlatPart<T> part, FlatSums<T> sums, bool taken)
{
    const bool finished = finish_flat(sum_of_part(part), blockIdx.x, sums);
#ifndef NESTBED_FLAT
    if constexpr (How == Compiled::with_launch_inline) {
        if (finished && taken)
            launch_again<T, How>(part, sums);
    }
    if constexpr (How == Compiled::with_launch_noinline) {
        if (finished && taken)
            launch_again_out_of_line<T, How>(part, sums);
    }
#endif
    static_cast<void>(finished && taken);
}

template <Compiled How>
struct LastBlockStrategy {
    static constexpr Answer answer = Answer::total;

    static LaunchForm launches(const Case& /*point*/) { return LaunchForm::none(); }

    template <class T>
    struct Scratch {
        Buffer<WideSum<T>> of_block;
        Buffer<unsigned> arrived;
        std::uint32_t blocks;
    };

    // As many blocks as are resident at once, the same for all four ways.
    template <class T>
    static Scratch<T> prepare(const Reduction<T>& job)
    {
        constexpr std::uint32_t kBlocksPerMultiprocessor = 2;
        const std::uint64_t blocks = std::min<std::uint64_t>(
            kBlocksPerMultiprocessor * job.context.facts().multiprocessors, job.elements / kTileElements + 1);
        Scratch<T> scratch{job.context.template allocate<WideSum<T>>(blocks),
                           job.context.template allocate<unsigned>(1), static_cast<std::uint32_t>(blocks)};
        job.context.fill_bytes(scratch.arrived, 0, 1);
        return scratch;
    }

    template <class T>
    static void run(const Reduction<T>& job, const Scratch<T>& scratch)
    {
        host_launch<sum_last_block<T, How>>(
            job.context, 0, {scratch.blocks, kFlatThreads}, whole_input<T>(job.in, job.elements),
            FlatSums<T>{scratch.of_block.data(), scratch.blocks, scratch.arrived.data(), job.total}, false);
    }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
