// Transposes a tile through shared memory, so that both reads and writes go along rows. shared_tile consists of this;
// recursive_transpose ends in it.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The tile size, for a tile of the input, chosen on an H200. With 256 threads, each thread has 8 loads in flight
// (with one load, a copy reaches half the rate: results/h200/transpose.csv.gz). The unused column keeps threads that read
// along a column in different banks.
inline constexpr unsigned kTileWidth = 32;
inline constexpr unsigned kTileHeight = 64;
inline constexpr unsigned kTileThreads = 256;

using TileRow = float[kTileWidth + 1];

// Transposes tile (tile_x, tile_y) of `in`, ny rows of nx numbers, into `out`, nx rows of ny numbers. `thread` is the
// number of this thread, out of `threads`. Passes: numbers per thread, if it is the same for all threads; 0: computed
// from the number of threads. `tile`: kTileHeight rows in shared memory that the kernel itself declares (BLOCK_SHARED
// says why).
template <unsigned Passes>
__device__ void transpose_tile(TileRow* tile, const float* in, float* out, unsigned nx, unsigned ny, unsigned tile_x,
                               unsigned tile_y, unsigned thread, unsigned threads)
{
    constexpr unsigned kTile = kTileWidth * kTileHeight;
    const unsigned step = Passes == 0 ? threads : kTile / (Passes == 0 ? 1 : Passes);
    const unsigned passes = Passes == 0 ? (kTile - 1) / threads + 1 : Passes;
    const unsigned first_x = tile_x * kTileWidth;
    const unsigned first_y = tile_y * kTileHeight;
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned index = pass * step + thread;
        const unsigned x = index % kTileWidth;
        const unsigned y = index / kTileWidth;
        if ((Passes != 0 || y < kTileHeight) && first_x + x < nx && first_y + y < ny)
            tile[y][x] = in[static_cast<std::size_t>(first_y + y) * nx + first_x + x];
    }
    __syncthreads();
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned index = pass * step + thread;
        const unsigned y = index % kTileHeight;
        const unsigned x = index / kTileHeight;
        if ((Passes != 0 || x < kTileWidth) && first_x + x < nx && first_y + y < ny)
            out[static_cast<std::size_t>(first_x + x) * ny + first_y + y] = tile[y][x];
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
