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

// The launch is taken when `taken` says so, which it never does; the compiler does not know. Loads: in flight a thread,
// of a block's only tile; 0: the blocks are handed runs of tiles.
template <class T, Compiled How, unsigned Loads>
__global__ void sum_last_block(const __grid_constant__ FlatJob<T> job, bool taken);

#ifndef NESTBED_FLAT
template <class T, Compiled How, unsigned Loads>
__device__ __forceinline__ void launch_again(const FlatJob<T>& job)
{
    device_launch<sum_last_block<T, How, Loads>, Mechanism::null_stream>({gridDim.x, kFlatThreads}, job, false);
}
template <class T, Compiled How, unsigned Loads>
__device__ __noinline__ void launch_again_out_of_line(const FlatJob<T>& job)
{
    launch_again<T, How, Loads>(job);
}
#endif

template <class T, Compiled How, unsigned Loads>
__global__ void __launch_bounds__(kFlatThreads, kFlatBound)
    sum_last_block(const __grid_constant__ FlatJob<T> job, bool taken)
{
    WideSum<T> sum{};
    if constexpr (Loads == 0)
        sum = sum_of_runs(job, true);
    else
        sum = sum_of_tile<T, Loads>(job, blockIdx.x);
    const bool finished = finish_flat(sum, blockIdx.x, job);
#ifndef NESTBED_FLAT
    if constexpr (How == Compiled::with_launch_inline) {
        if (finished && taken)
            launch_again<T, How, Loads>(job);
    }
    if constexpr (How == Compiled::with_launch_noinline) {
        if (finished && taken)
            launch_again_out_of_line<T, How, Loads>(job);
    }
#endif
    static_cast<void>(finished && taken);
}

template <Compiled How>
struct LastBlockStrategy {
    static constexpr Answer answer = Answer::total;

    static LaunchForm launches(const Case& /*point*/) { return LaunchForm::none(); }

    struct Form {
        unsigned loads; // a thread, of a tile
        std::uint32_t grid;
        bool one_tile_a_block;
    };

    // One block, with as few loads as do, for up to a tile; then as few loads as leave a tile for every multiprocessor at
    // most; then a tile a block while all blocks are resident at once; then resident blocks that are handed runs. Each
    // step was the fastest of its sizes on an H200 (results/h200/README.md). The same for all four ways.
    static Form form_of(std::uint64_t elements, std::uint64_t multiprocessors)
    {
        const std::uint64_t resident = kFlatResident * multiprocessors;
        for (unsigned loads = 1; loads <= kFlatLoads; loads *= 2) {
            const std::uint64_t tiles = (elements - 1) / tile_elements(loads) + 1;
            const bool whole = elements <= kTileElements;
            if (tiles <= (whole ? 1 : loads < kFlatLoads ? multiprocessors : resident))
                return {loads, static_cast<std::uint32_t>(tiles), true};
        }
        return {kFlatLoads, static_cast<std::uint32_t>(resident), false};
    }

    template <class T>
    struct Prepared {
        Form form;
        FlatScratch<T> scratch;
    };

    template <class T>
    static Prepared<T> prepare(const Reduction<T>& job)
    {
        const Form form = form_of(job.elements, job.context.facts().multiprocessors);
        return {form, {job.context, form.grid}};
    }

    template <class T>
    static void run(const Reduction<T>& job, const Prepared<T>& prepared)
    {
        const Form& form = prepared.form;
        if (!form.one_tile_a_block)
            return launch<T, 0>(job, prepared);
        switch (form.loads) {
        case 1:
            return launch<T, 1>(job, prepared);
        case 2:
            return launch<T, 2>(job, prepared);
        case 4:
            return launch<T, 4>(job, prepared);
        default:
            return launch<T, kFlatLoads>(job, prepared);
        }
    }

  private:
    template <class T, unsigned Loads>
    static void launch(const Reduction<T>& job, const Prepared<T>& prepared)
    {
        const auto [loads, grid, one_tile_a_block] = prepared.form;
        host_launch<sum_last_block<T, How, Loads>>(
            job.context, 0, {grid, kFlatThreads},
            flat_job<T>(job.in, job.elements, loads, grid, grid, job.total, prepared.scratch), false);
    }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
