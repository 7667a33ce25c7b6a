// The kernel of the strategies last_block, last_block_rdc, last_block_inline and last_block_noinline: one source,
// compiled in four ways. It shows what relocatable device code and a launch that never happens cost a flat kernel.
#pragma once

#include "device/parts/flat_sum.hpp"
#include "workloads/reduce/reduction.hpp"

#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

enum class Compiled : std::uint8_t { without_rdc, with_rdc, with_launch_inline, with_launch_noinline };

// The launch happens only if `taken` is true. It never is, but the compiler does not know that. Loads: loads in
// flight per thread for the only tile of the block; 0: the block receives runs of tiles.
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

// For input that one block can load at once, with a few loads per thread. It needs no arrival counter, and the code
// is short.
inline constexpr unsigned kOneBlockThreads = 512;

template <class T, Compiled How, unsigned Loads>
__global__ void __launch_bounds__(kOneBlockThreads) sum_one_block(const T* in, unsigned elements, WideSum<T>* total)
{
    const unsigned tid = threadIdx.x;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(in);
    const unsigned count = elements / Vector<T>::kElements;
    Vector<T> loaded[Loads];
    for (unsigned load = 0; load < Loads; ++load)
        loaded[load] = tid + load * kOneBlockThreads < count ? vectors[tid + load * kOneBlockThreads] : Vector<T>{};
    WideSum<T> sum{};
    if (tid < elements % Vector<T>::kElements)
        sum = in[count * Vector<T>::kElements + tid];
    for (const Vector<T>& vector : loaded)
        for (const T value : vector.element)
            sum += value;
    sum = block_sum<false>(sum);
    if (tid == 0)
        *total = sum;
}

template <Compiled How>
struct LastBlockStrategy {
    static constexpr Answer answer = Answer::total;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::none(); }

    enum class Kind : std::uint8_t { one_block, one_tile_per_block, runs };
    struct Form {
        Kind kind;
        unsigned loads; // in flight per thread
        std::uint32_t grid;
    };

    // With growing input, the form is
    //   - one block with the fewest loads per thread that suffice, if it can load the input at once;
    //   - one tile per block with the fewest loads per thread for which there are at most as many tiles as
    //     multiprocessors;
    //   - one tile per block while all blocks are resident at once;
    //   - resident blocks that receive runs.
    // Only the kernel of many blocks contains the launch that never happens.
    static Form form_of(std::uint64_t elements, std::uint64_t multiprocessors)
    {
        const std::uint64_t resident = kFlatResident * multiprocessors;
        if constexpr (How == Compiled::without_rdc || How == Compiled::with_rdc) {
            for (unsigned loads = 1; loads <= kFlatLoads; loads *= 2)
                if (elements <= std::uint64_t{kOneBlockThreads} * loads * Vector<float>::kElements)
                    return {Kind::one_block, loads, 1};
        }
        for (unsigned loads = 1; loads <= kFlatLoads; loads *= 2) {
            const std::uint64_t tiles = (elements - 1) / tile_elements(loads) + 1;
            if (tiles <= (loads < kFlatLoads ? multiprocessors : resident))
                return {Kind::one_tile_per_block, loads, static_cast<std::uint32_t>(tiles)};
        }
        return {Kind::runs, kFlatLoads, static_cast<std::uint32_t>(resident)};
    }

    template <class T>
    struct Prepared {
        Form form;
        FlatScratch<T> scratch;
        FlatJob<T> flat;
    };

    template <class T>
    static Prepared<T> prepare(const Reduction<T>& job)
    {
        const Form form = form_of(job.elements, job.context.facts().multiprocessors);
        FlatScratch<T> scratch(job.context, form.grid);
        const auto flat = flat_job<T>(job.in, job.elements, form.loads, form.grid, form.grid, job.total, scratch);
        return {form, std::move(scratch), flat};
    }

    template <class T>
    static void run(const Reduction<T>& job, const Prepared<T>& prepared)
    {
        if (prepared.form.kind == Kind::runs)
            return launch<T, 0>(job, prepared);
        switch (prepared.form.loads) {
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
        if constexpr (Loads != 0)
            if (prepared.form.kind == Kind::one_block)
                return host_launch<sum_one_block<T, How, Loads>>(job.context, {1, kOneBlockThreads}, job.in,
                                                                 static_cast<unsigned>(job.elements), job.total);
        host_launch<sum_last_block<T, How, Loads>>(job.context, {prepared.form.grid, kFlatThreads}, prepared.flat,
                                                   false);
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
