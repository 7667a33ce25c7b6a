// The pixels of the workload `mandelbrot`: their dwells, the border of a region, and what a block does to a region.
#pragma once

#include "device/parts/request_collectives.hpp"
#include "workloads/mandelbrot/mandelbrot_reference.hpp"

#include <cmath>
#include <cstddef>

namespace nestbed::inline NESTBED_BACKEND
{

struct MandelbrotTask {
    unsigned* dwells; // nx * ny by rows, filled with 0xFF bytes before every run
    unsigned nx, ny;
    PlaneWindow window;
    unsigned division, fanout, grain, most_dwell;
    unsigned long long* work; // iterations

    __host__ __device__ Region image() const { return {0, 0, nx, ny}; }
};

__device__ inline void mandelbrot_step(float& x, float& y, float cx, float cy)
{
    const float rest = fmaf(y, y, -cx);
    y = fmaf(x + x, y, cy);
    x = fmaf(x, x, -rest);
}

// The dwell of a pixel, with the roundings of model/mandelbrot.cpp. Steps are made in groups without a test of each: a
// point that has left the disk of radius 2 does not return while |c| < 2, and further out it grows to infinity or NaN.
__device__ inline unsigned dwell_of(const MandelbrotTask& task, unsigned px, unsigned py)
{
    constexpr unsigned kGroup = 8;
    constexpr float kOutside = 4;
    const float cx = fmaf(static_cast<float>(px), task.window.step_x, task.window.left);
    const float cy = fmaf(static_cast<float>(py), task.window.step_y, task.window.bottom);
    float x = 0;
    float y = 0;
    unsigned dwell = 0;
    while (dwell + kGroup <= task.most_dwell) {
        float next_x = x;
        float next_y = y;
        for (unsigned step = 0; step < kGroup; ++step)
            mandelbrot_step(next_x, next_y, cx, cy);
        if (!(fmaf(next_x, next_x, next_y * next_y) < kOutside))
            break;
        x = next_x;
        y = next_y;
        dwell += kGroup;
    }
    while (dwell < task.most_dwell && fmaf(x, x, y * y) < kOutside) {
        mandelbrot_step(x, y, cx, cy);
        ++dwell;
    }
    return dwell;
}

// Pixel `index` of the border of a region: its rows at the top and at the bottom, then the columns between them.
struct PixelPlace {
    unsigned x, y;
};
__device__ inline PixelPlace border_pixel(const Region& region, unsigned index)
{
    if (region.width == 1 || region.height == 1)
        return {region.x + index % region.width, region.y + index / region.width};
    if (index < 2 * region.width)
        return {region.x + index % region.width, region.y + index / region.width * (region.height - 1)};
    index -= 2 * region.width;
    return {region.x + index % 2 * (region.width - 1), region.y + 1 + index / 2};
}

// What the threads of a block find out together.
struct BlockDwells {
    unsigned least, most, work;
};

// Adds the work of the calling thread, also while others read the dwells. All threads of the block call it; a barrier
// must follow before the result is read.
__device__ inline void gather_work(BlockDwells* block, unsigned work)
{
    work = __reduce_add_sync(0xFFFFFFFFU, work);
    if (threadIdx.x % kLanes != 0)
        return;
    atomicAdd(&block->work, work);
}

__device__ inline unsigned& pixel_of(const MandelbrotTask& task, unsigned x, unsigned y)
{
    return task.dwells[static_cast<std::size_t>(y) * task.nx + x];
}

// The work of threads `first`, `first + stride`, ... on the pixels of a region.
__device__ inline void fill_region(const MandelbrotTask& task, const Region& region, unsigned value, unsigned first,
                                   unsigned stride)
{
    for (unsigned index = first; index < region.width * region.height; index += stride)
        pixel_of(task, region.x + index % region.width, region.y + index / region.width) = value;
}
__device__ inline unsigned compute_region(const MandelbrotTask& task, const Region& region, unsigned first,
                                          unsigned stride)
{
    unsigned work = 0;
    for (unsigned index = first; index < region.width * region.height; index += stride) {
        const unsigned x = region.x + index % region.width;
        const unsigned y = region.y + index / region.width;
        const unsigned dwell = dwell_of(task, x, y);
        work += dwell;
        pixel_of(task, x, y) = dwell;
    }
    return work;
}

} // namespace nestbed::inline NESTBED_BACKEND
