// A transpose through shared memory: rows are read and rows are written. shared_tile is made of it, and what
// recursive_transpose ends in.
#pragma once

#include "device/language.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A tile, of the input, chosen on an H200. With 256 threads each has 8 loads in flight (with one, a copy has half the rate:
// results/h200/README.md). The column that nobody uses keeps the threads that read along a column
// in different banks.
inline constexpr unsigned kTileWidth = 32;
inline constexpr unsigned kTileHeight = 64;
inline constexpr unsigned kTileThreads = 256;

using TileRow = float[kTileWidth + 1];

// Tile (tile_x, tile_y) of `in`, ny rows of nx numbers, into `out`, nx rows of ny; a thread is one of `threads`. Passes:
// numbers a thread, if all threads have the same; 0: whatever the number of threads makes it. `tile`: kTileHeight rows in shared
// memory of the kernel's own (BLOCK_SHARED says why).
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
