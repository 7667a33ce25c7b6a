// The fast flat reduction that several strategies share: 16-byte loads, several in flight a thread, a partial sum a
// block, and the last block to finish adds those.
#pragma once

#include "device/parts/collective.hpp"
#include "device/parts/in_block.hpp"
#include "model/reduce_reference.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed::inline NESTBED_BACKEND
{

// Sums are of 64 bits (int64 for int32, double for float32), so 2^32 numbers of any size are summed right. Chosen on an
// H200 (results/h200/README.md): blocks of 256 threads with 8 loads in flight, and a counter that hands the input out, so
// that all blocks end together.
inline constexpr unsigned kFlatThreads = 256;
inline constexpr unsigned kFlatLoads = 8; // 16-byte loads in flight a thread
// Blocks that a multiprocessor holds at once. Said to the compiler: left alone, it takes 34 registers (and fewer loads in
// flight) without -rdc and 84 (and room for two blocks) with it.
inline constexpr unsigned kFlatResident = 4;
#ifdef __CUDACC_DEBUG__ // nvcc -G: functions are not inlined there, and do not keep to a kernel's bound
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

// A tile: what a block loads at one time. A run: neighbouring tiles, what a block is handed at one time.
constexpr std::uint64_t tile_elements(unsigned loads)
{
    return std::uint64_t{kFlatThreads} * loads * 4;
}
inline constexpr std::uint64_t kTileElements = tile_elements(kFlatLoads);

// What the blocks of one or two grids sum together. The state is all zero before, and again after.
struct FlatState {
    unsigned long long taken; // tiles that were handed out, besides the first grid's first runs
    unsigned arrived;         // see arrives_last()
};
template <class T>
struct FlatJob {
    const T* in; // aligned to 16 bytes
    std::uint64_t elements;
    std::uint64_t tiles; // the last one may be ragged
    std::uint64_t run;   // tiles
    unsigned grid;       // blocks of the first grid, which begin with a run each
    unsigned blocks;     // of both grids
    WideSum<T>* sums;    // one a block
    WideSum<T>* total;
    FlatState* state;
};

// One tile, summed by each thread, all loads in flight together. Plain loads: with evict-first ones (__ldcs), lines that
// were written before the run stay in the L2 cache, dirty, and are in the way.
template <class T, unsigned Loads>
__device__ WideSum<T> sum_of_tile(const FlatJob<T>& job, std::uint64_t tile)
{
    constexpr std::uint64_t kVectors = std::uint64_t{kFlatThreads} * Loads;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(job.in);
    const std::uint64_t count = job.elements / Vector<T>::kElements; // whole ones
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

// The runs that this block is handed, summed by each thread. Thread 0 asks for the next one before it needs it.
template <class T>
__device__ WideSum<T> sum_of_runs(const FlatJob<T>& job, bool first_grid)
{
    BLOCK_SHARED(unsigned long long, handed, 1); // the run's first tile
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
        __syncthreads(); // everybody has read it
        if (tid == 0)
            *handed = next;
        __syncthreads();
        first = *handed;
    }
    return sum;
}

// Adds the block's threads up; the last block of all then adds the blocks up. True in the last block's thread 0.
template <class T>
__device__ bool finish_flat(WideSum<T> sum, unsigned block, const FlatJob<T>& job)
{
    const unsigned tid = threadIdx.x;
    sum = block_sum(sum);
    if (job.blocks > 1) {
        BLOCK_SHARED(bool, last, 1);
        if (tid == 0) {
            job.sums[block] = sum;
            *last = arrives_last(&job.state->arrived, job.blocks);
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

// What a FlatJob needs on the device.
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

// All `elements` numbers, in tiles of `loads` loads a thread, for a first grid of `grid` blocks, and `blocks` in all.
// Small inputs go round in single tiles.
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
