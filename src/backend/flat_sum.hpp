// The fast flat reduction that several strategies share: 16-byte loads, several in flight a thread, a partial sum a
// block, and the last block to finish adds those.
#pragma once

#include "../core/reduce_reference.hpp"
#include "collective.hpp"
#include "in_block.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed
{
inline namespace NESTBED_BACKEND
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
inline constexpr std::uint64_t kTileElements = std::uint64_t{kFlatThreads} * kFlatLoads * 4;

// What the blocks of one or two grids sum together. The state is all zero before, and again after.
struct FlatState {
    unsigned long long taken; // tiles that were handed out, besides the first grid's first runs
    unsigned arrived;         // see arrives_last()
};
template <class T>
struct FlatJob {
    const T* in; // aligned to 16 bytes
    std::uint64_t tiles;
    std::uint64_t rest; // elements behind the last tile
    std::uint64_t run;  // tiles
    unsigned grid;      // blocks of the first grid, which begin with a run each
    unsigned blocks;    // of both grids
    WideSum<T>* sums;   // one a block
    WideSum<T>* total;
    FlatState* state;
};

// One tile, summed by each thread. Plain loads: with evict-first ones (__ldcs), lines that were written before the run
// stay in the L2 cache, dirty, and are in the way.
template <class T>
__device__ WideSum<T> sum_of_tile(const T* tile)
{
    const auto* from = reinterpret_cast<const Vector<T>*>(tile) + threadIdx.x;
    Vector<T> loaded[kFlatLoads];
    for (unsigned load = 0; load < kFlatLoads; ++load)
        loaded[load] = from[load * kFlatThreads];
    WideSum<T> sum{};
    for (const Vector<T>& vector : loaded)
        for (const T value : vector.element)
            sum += value;
    return sum;
}

// The runs that this block is handed, summed by each thread. Thread 0 asks for the next one before it needs it. Block 0
// of the first grid has the rest behind the last tile.
template <class T>
__device__ WideSum<T> sum_of_runs(const FlatJob<T>& job, bool first_grid)
{
    auto& shared = block_shared<unsigned long long>();
    const unsigned tid = threadIdx.x;
    const auto take = [&job] { return job.grid * job.run + atomicAdd(&job.state->taken, job.run * 1ULL); };
    if (tid == 0)
        shared = first_grid ? blockIdx.x * job.run : take();
    __syncthreads();
    WideSum<T> sum{};
    for (unsigned long long first = shared; first < job.tiles;) {
        const unsigned long long next = tid == 0 ? take() : 0;
        const unsigned long long end = first + job.run < job.tiles ? first + job.run : job.tiles;
        for (unsigned long long tile = first; tile < end; ++tile)
            sum += sum_of_tile(job.in + tile * kTileElements);
        __syncthreads(); // everybody has read `shared`
        if (tid == 0)
            shared = next;
        __syncthreads();
        first = shared;
    }
    if (first_grid && blockIdx.x == 0)
        for (std::uint64_t index = tid; index < job.rest; index += kFlatThreads)
            sum += job.in[job.tiles * kTileElements + index];
    return sum;
}

// Adds the block's threads up; the last block of all then adds the blocks up. True in the last block's thread 0.
template <class T>
__device__ bool finish_flat(WideSum<T> sum, unsigned block, const FlatJob<T>& job)
{
    sum = block_sum(sum);
    bool& last = block_shared<bool>();
    if (threadIdx.x == 0) {
        job.sums[block] = sum;
        last = arrives_last(&job.state->arrived, job.blocks);
    }
    __syncthreads();
    if (!last)
        return false;
    WideSum<T> total{};
    for (unsigned index = threadIdx.x; index < job.blocks; index += kFlatThreads)
        total += job.sums[index];
    total = block_sum(total);
    if (threadIdx.x == 0) {
        *job.total = total;
        job.state->taken = 0;
    }
    return threadIdx.x == 0;
}

// What a FlatJob needs on the device.
template <class T>
struct FlatScratch {
    Buffer<WideSum<T>> sums;
    Buffer<FlatState> state;

    FlatScratch(Context& context, unsigned blocks)
        : sums(context.allocate<WideSum<T>>(blocks)), state(context.allocate<FlatState>(1))
    {
        context.fill_bytes(state, 0, 1);
    }
};

// All `elements` numbers for a first grid of `grid` blocks, and `blocks` in all. Small inputs go round in single tiles.
template <class T>
FlatJob<T> flat_job(const T* in, std::uint64_t elements, unsigned grid, unsigned blocks, WideSum<T>* total,
                    const FlatScratch<T>& scratch)
{
    constexpr std::uint64_t kLongestRun = 4;
    const std::uint64_t tiles = elements / kTileElements;
    return {.in = in,
            .tiles = tiles,
            .rest = elements % kTileElements,
            .run = std::clamp<std::uint64_t>(tiles / (std::uint64_t{blocks} * 4), 1, kLongestRun),
            .grid = grid,
            .blocks = blocks,
            .sums = scratch.sums.data(),
            .total = total,
            .state = scratch.state.data()};
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
