// The fast flat reduction that several strategies share. It uses 16-byte loads, several loads in flight per thread,
// and one partial sum per block. The last block to finish adds the partial sums.
#pragma once

#include "device/parts/collective.hpp"
#include "device/parts/in_block.hpp"
#include "model/wide_sum.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed::inline NESTBED_BACKEND
{

// Sums have 64 bits (int64 for int32, double for float32), so the sum of 2^32 numbers of any size is right. The
// parameters were chosen on an H200 (results/h200/library.csv.gz): blocks of 256 threads with 8 loads in flight, and a
// counter that hands out the input so that all blocks end together.
inline constexpr unsigned kFlatThreads = 256;
inline constexpr unsigned kFlatLoads = 8; // 16-byte loads in flight per thread
// Resident blocks per multiprocessor. The compiler must know this number. Without it, the compiler uses 34 registers
// (and fewer loads in flight) without -rdc, and 84 (and room for only two blocks) with -rdc.
inline constexpr unsigned kFlatResident = 4;
#ifdef __CUDACC_DEBUG__ // nvcc -G: functions are not inlined, and they do not respect the launch bounds of a kernel
inline constexpr unsigned kFlatBound = 1;
#else
inline constexpr unsigned kFlatBound = kFlatResident;
#endif

template <class T>
struct alignas(16) Vector {
    static constexpr unsigned kElements = 16 / sizeof(T);
    T element[kElements];
};
static_assert(Vector<std::int32_t>::kElements == 4 && Vector<float>::kElements == 4);

// A tile is what a block loads at one time. A run is a sequence of neighbouring tiles that a block receives at one
// time.
constexpr std::uint64_t tile_elements(unsigned loads)
{
    return std::uint64_t{kFlatThreads} * loads * 4;
}
inline constexpr std::uint64_t kTileElements = tile_elements(kFlatLoads);

// The state and the job of a sum that the blocks of one or two grids compute together. The state is all zero before
// the sum, and again after it.
struct FlatState {
    unsigned long long taken; // tiles handed out so far, not counting the first runs of the first grid
    unsigned arrived;         // see is_last_block()
};
template <class T>
struct FlatJob {
    const T* in; // aligned to 16 bytes
    std::uint64_t elements;
    std::uint64_t tiles; // the last one may be ragged
    std::uint64_t run;   // tiles per run
    unsigned grid;       // blocks of the first grid; each begins with one run
    unsigned blocks;     // of both grids
    WideSum<T>* sums;    // one per block
    WideSum<T>* total;
    FlatState* state;
};

// Each thread sums its part of one tile, with all loads in flight together. The loads are plain. With evict-first
// loads (__ldcs), lines that were written before the run would stay in the L2 cache as dirty lines and take up its
// space.
template <class T, unsigned Loads>
__device__ WideSum<T> sum_of_tile(const FlatJob<T>& job, std::uint64_t tile)
{
    constexpr std::uint64_t kVectors = std::uint64_t{kFlatThreads} * Loads;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(job.in);
    const std::uint64_t count = job.elements / Vector<T>::kElements; // whole vectors
    const std::uint64_t first = tile * kVectors + threadIdx.x;
    WideSum<T> sum{};
    Vector<T> loaded[Loads];
    if ((tile + 1) * kVectors <= count) {
        for (unsigned load = 0; load < Loads; ++load)
            loaded[load] = vectors[first + load * kFlatThreads];
    } else {
        for (unsigned load = 0; load < Loads; ++load)
            loaded[load] = first + load * kFlatThreads < count ? vectors[first + load * kFlatThreads] : Vector<T>{};
        if (tile + 1 == job.tiles && threadIdx.x < job.elements % Vector<T>::kElements)
            sum += job.in[count * Vector<T>::kElements + threadIdx.x];
    }
    for (const Vector<T>& vector : loaded)
        for (const T value : vector.element)
            sum += value;
    return sum;
}

// Each thread sums its part of the runs that this block receives. Thread 0 requests the next run before the block
// needs it.
template <class T>
__device__ WideSum<T> sum_of_runs(const FlatJob<T>& job, bool first_grid)
{
    BLOCK_SHARED(unsigned long long, handed, 1); // first tile of the run
    const unsigned tid = threadIdx.x;
    const auto take = [&job] { return job.grid * job.run + atomicAdd(&job.state->taken, job.run * 1ULL); };
    if (tid == 0)
        *handed = first_grid ? blockIdx.x * job.run : take();
    __syncthreads();
    WideSum<T> sum{};
    for (unsigned long long first = *handed; first < job.tiles;) {
        const unsigned long long next = tid == 0 ? take() : 0;
        const unsigned long long end = first + job.run < job.tiles ? first + job.run : job.tiles;
        for (unsigned long long tile = first; tile < end; ++tile)
            sum += sum_of_tile<T, kFlatLoads>(job, tile);
        __syncthreads(); // all threads have read *handed
        if (tid == 0)
            *handed = next;
        __syncthreads();
        first = *handed;
    }
    return sum;
}

// Adds the sums of the threads of the block. The last block of all then adds the sums of the blocks. Returns true in
// thread 0 of the last block.
template <class T>
__device__ bool finish_flat(WideSum<T> sum, unsigned block, const FlatJob<T>& job)
{
    const unsigned tid = threadIdx.x;
    sum = block_sum(sum);
    if (job.blocks > 1) {
        BLOCK_SHARED(bool, last, 1);
        if (tid == 0) {
            job.sums[block] = sum;
            *last = is_last_block(&job.state->arrived, job.blocks);
        }
        __syncthreads();
        if (!*last)
            return false;
        sum = WideSum<T>{};
        for (unsigned index = tid; index < job.blocks; index += kFlatThreads)
            sum += job.sums[index];
        sum = block_sum(sum);
    }
    if (tid == 0) {
        *job.total = sum;
        job.state->taken = 0;
    }
    return tid == 0;
}

// The device memory that a FlatJob needs.
template <class T>
struct FlatScratch {
    Buffer<WideSum<T>> sums;
    Buffer<FlatState> state;

    FlatScratch(Context& context, unsigned blocks)
        : sums(context.allocate<WideSum<T>>(blocks, "sums")), state(context.allocate<FlatState>(1, "state"))
    {
        context.fill_bytes(state, 0, 1);
    }
};

// Returns the job for all `elements` numbers, in tiles of `loads` loads per thread, for a first grid of `grid` blocks
// and `blocks` blocks in total. Small inputs are handed out in single tiles.
template <class T>
FlatJob<T> flat_job(const T* in, std::uint64_t elements, unsigned loads, unsigned grid, unsigned blocks,
                    WideSum<T>* total, const FlatScratch<T>& scratch)
{
    constexpr std::uint64_t kLongestRun = 4;
    const std::uint64_t tiles = (elements - 1) / tile_elements(loads) + 1;
    return {.in = in,
            .elements = elements,
            .tiles = tiles,
            .run = std::clamp<std::uint64_t>(tiles / (std::uint64_t{blocks} * 4), 1, kLongestRun),
            .grid = grid,
            .blocks = blocks,
            .sums = scratch.sums.data(),
            .total = total,
            .state = scratch.state.data()};
}

} // namespace nestbed::inline NESTBED_BACKEND
