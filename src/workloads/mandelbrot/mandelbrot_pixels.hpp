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
    unsigned division, fanout, grain, max_dwell;
    unsigned long long* work; // iterations

    __host__ __device__ Region image() const { return {0, 0, nx, ny}; }
};

__device__ inline void mandelbrot_step(float& x, float& y, float cx, float cy)
{
    const float rest = fmaf(y, y, -cx);
    y = fmaf(x + x, y, cy);
    x = fmaf(x, x, -rest);
}

// Makes Steps steps if the point is still in the disk of radius 2 after them. One that has left it does not return while |c| < 2, and
// further out it grows to infinity or NaN: so it has not left it before.
template <unsigned Steps>
__device__ inline bool stays_inside(float& x, float& y, float cx, float cy)
{
    constexpr float kOutside = 4;
    float next_x = x;
    float next_y = y;
    for (unsigned step = 0; step < Steps; ++step)
        mandelbrot_step(next_x, next_y, cx, cy);
    if (!(fmaf(next_x, next_x, next_y * next_y) < kOutside))
        return false;
    x = next_x;
    y = next_y;
    return true;
}

// The dwell of a pixel, with the roundings of model/mandelbrot.cpp. Steps are made in groups without a test of each: eight until such a
// group would leave the disk, then four, two and one, as far as the point stays inside. It leaves with the step after these.
__device__ inline unsigned dwell_of(const MandelbrotTask& task, unsigned px, unsigned py)
{
    const float cx = fmaf(static_cast<float>(px), task.window.step_x, task.window.left);
    const float cy = fmaf(static_cast<float>(py), task.window.step_y, task.window.bottom);
    float x = 0;
    float y = 0;
    unsigned dwell = 0;
    while (dwell + 8 <= task.max_dwell && stays_inside<8>(x, y, cx, cy))
        dwell += 8;
    if (dwell + 4 <= task.max_dwell && stays_inside<4>(x, y, cx, cy))
        dwell += 4;
    if (dwell + 2 <= task.max_dwell && stays_inside<2>(x, y, cx, cy))
        dwell += 2;
    if (dwell + 1 <= task.max_dwell && stays_inside<1>(x, y, cx, cy))
        dwell += 1;
    return dwell < task.max_dwell ? dwell + 1 : dwell;
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

// Thread `thread` of `threads` threads calls act(x, y) for its pixels of a region. A warp has tiles of Width * Height = 32 pixels, which
// it finds without a division per pixel. Alone: one thread has all pixels.
template <unsigned Width, unsigned Height, bool Alone, class Act>
__device__ void for_pixels(const Region& region, unsigned thread, unsigned threads, const Act& act)
{
    if constexpr (Alone) {
        for (unsigned y = 0; y < region.height; ++y)
            for (unsigned x = 0; x < region.width; ++x)
                act(region.x + x, region.y + y);
    } else {
        static_assert(Width * Height == kLanes);
        const unsigned across = (region.width - 1) / Width + 1; // tiles
        const unsigned down = (region.height - 1) / Height + 1;
        const unsigned step_down = threads / kLanes / across;
        const unsigned step_across = threads / kLanes - step_down * across;
        unsigned row = thread / kLanes / across;
        unsigned column = thread / kLanes - row * across;
        const unsigned in_x = thread % Width;
        const unsigned in_y = thread % kLanes / Width;
        while (row < down) {
            const unsigned x = column * Width + in_x;
            const unsigned y = row * Height + in_y;
            if (x < region.width && y < region.height)
                act(region.x + x, region.y + y);
            column += step_across;
            row += step_down;
            if (column >= across) {
                column -= across;
                ++row;
            }
        }
    }
}

// The work of one of the threads on the pixels of a region. A warp writes neighbours of a row, and computes a tile: the dwells of its pixels
// are most alike there.
template <bool Alone = false>
__device__ inline void fill_region(const MandelbrotTask& task, const Region& region, unsigned value,
                                   unsigned thread = 0, unsigned threads = 1)
{
    for_pixels<kLanes, 1, Alone>(region, thread, threads,
                                 [&](unsigned x, unsigned y) { pixel_of(task, x, y) = value; });
}
template <bool Alone = false>
__device__ inline unsigned compute_region(const MandelbrotTask& task, const Region& region, unsigned thread = 0,
                                          unsigned threads = 1)
{
    unsigned work = 0;
    for_pixels<8, 4, Alone>(region, thread, threads, [&](unsigned x, unsigned y) {
        const unsigned dwell = dwell_of(task, x, y);
        work += dwell;
        pixel_of(task, x, y) = dwell;
    });
    return work;
}

} // namespace nestbed::inline NESTBED_BACKEND
