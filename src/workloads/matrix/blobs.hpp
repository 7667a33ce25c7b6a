// The picture of the workload `blobs`, and its kernel, with and without the barrier that it needs.
#pragma once

#include "workloads/matrix/matrix.hpp"

#include <cmath>

namespace nestbed::inline NESTBED_BACKEND
{

// Round spots, 256 pixels apart in both directions. Values are from 0 to 4.
__device__ inline float blob(unsigned x, unsigned y)
{
    constexpr double kPi = 3.14159265358979323846;
    constexpr double kPeriod = 256;
    constexpr double kShift = 64;
    return static_cast<float>((1 + sin(2 * kPi * (x - kShift) / kPeriod)) *
                              (1 + sin(2 * kPi * (y - kShift) / kPeriod)));
}

// A pixel of the picture. Each tile has the size of a block and shows its part of the spots rotated by 180 degrees.
__device__ inline float blobs_pixel(unsigned x, unsigned y, unsigned tile_x, unsigned tile_y)
{
    return blob(x - x % tile_x + tile_x - 1 - x % tile_x, y - y % tile_y + tile_y - 1 - y % tile_y);
}

// Each thread writes one number to shared memory and reads the number that the opposite thread wrote.
template <bool Barrier>
__global__ void draw_blobs(const float* /*in*/, float* out, unsigned nx, unsigned ny)
{
    BLOCK_SHARED(float, tile, 1024);
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    tile[thread] = blob(x, y); // also for threads past the edge: other threads read their values
    if constexpr (Barrier)
        __syncthreads();
    if (x < nx && y < ny)
        out[static_cast<std::size_t>(y) * nx + x] = tile[blockDim.x * blockDim.y - 1 - thread];
}

} // namespace nestbed::inline NESTBED_BACKEND
