// The fast flat reduction that several strategies share: 16-byte loads, several in flight a thread, a partial sum a
// block, and the last block to finish adds those.
#pragma once

#include "../core/reduce_reference.hpp"
#include "collective.hpp"
#include "in_block.hpp"

#include <cstdint>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Sums are of 64 bits (int64 for int32, double for float32), so 2^32 numbers of any size are summed right. Chosen on an
// H200: at 2^32 elements blocks of 512 with 8 loads in flight reach 4.55 TB/s (results/h200/README.md).
inline constexpr unsigned kFlatThreads = 512;
inline constexpr unsigned kFlatLoads = 8; // 16-byte loads in flight a thread

template <class T>
struct alignas(16) Vector {
    static constexpr unsigned kElements = 16 / sizeof(T);
    T element[kElements];
};
static_assert(Vector<std::int32_t>::kElements == 4 && Vector<float>::kElements == 4);

// A tile: what a block loads at one time.
inline constexpr std::uint64_t kTileElements = std::uint64_t{kFlatThreads} * kFlatLoads * 4;

// A part of the input: whole tiles, and behind them, for one part of all, less than a tile.
template <class T>
struct FlatPart {
    const T* in; // aligned to 16 bytes
    std::uint64_t tiles;
    std::uint64_t rest;
};

// Where the blocks of all parts leave their sums.
template <class T>
struct FlatSums {
    WideSum<T>* of_block; // `blocks` of them
    unsigned blocks;
    unsigned* arrived; // see arrives_last()
    WideSum<T>* total;
};

// Read once: it need not stay in a cache.
template <class T>
__device__ Vector<T> load_once(const Vector<T>* from)
{
#ifdef __CUDACC__
    const int4 bits = __ldcs(reinterpret_cast<const int4*>(from));
    Vector<T> loaded;
    static_assert(sizeof(loaded) == sizeof(bits));
    memcpy(&loaded, &bits, sizeof(bits));
    return loaded;
#else
    return *from;
#endif
}

// A block's share of a part, summed by each thread: neighbouring tiles, so that each block walks through memory.
template <class T>
__device__ WideSum<T> sum_of_part(const FlatPart<T>& part)
{
    const std::uint64_t share = part.tiles / gridDim.x;
    const std::uint64_t over = part.tiles % gridDim.x;
    const std::uint64_t block = blockIdx.x;
    const std::uint64_t first = share * block + (block < over ? block : over);
    const std::uint64_t last = first + share + (block < over ? 1 : 0);
    WideSum<T> sum{};
    for (std::uint64_t tile = first; tile < last; ++tile) {
        const auto* from = reinterpret_cast<const Vector<T>*>(part.in + tile * kTileElements) + threadIdx.x;
        Vector<T> loaded[kFlatLoads];
        for (unsigned load = 0; load < kFlatLoads; ++load)
            loaded[load] = load_once(from + load * kFlatThreads);
        for (unsigned load = 0; load < kFlatLoads; ++load)
            for (unsigned element = 0; element < Vector<T>::kElements; ++element)
                sum += loaded[load].element[element];
    }
    if (block == 0)
        for (std::uint64_t index = threadIdx.x; index < part.rest; index += kFlatThreads)
            sum += part.in[part.tiles * kTileElements + index];
    return sum;
}

// Adds the block's threads up into sums.of_block[slot]; the last block of all then adds those. True in the last
// block's thread 0.
template <class T>
__device__ bool finish_flat(WideSum<T> sum, unsigned slot, const FlatSums<T>& sums)
{
    sum = block_sum(sum);
    bool& last = block_shared<bool>();
    if (threadIdx.x == 0) {
        sums.of_block[slot] = sum;
        last = arrives_last(sums.arrived, sums.blocks);
    }
    __syncthreads();
    if (!last)
        return false;
    WideSum<T> total{};
    for (unsigned index = threadIdx.x; index < sums.blocks; index += kFlatThreads)
        total += sums.of_block[index];
    total = block_sum(total);
    if (threadIdx.x == 0)
        *sums.total = total;
    return threadIdx.x == 0;
}

// The whole input as one part, or the first `tiles` of it with the rest behind the last.
template <class T>
FlatPart<T> whole_input(const T* in, std::uint64_t elements)
{
    return {in, elements / kTileElements, elements % kTileElements};
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
