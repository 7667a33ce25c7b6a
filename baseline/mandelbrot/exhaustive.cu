// mandelbrot_exhaustive: one thread per pixel, without recursion.
// A pixel is computed in src/workloads/mandelbrot/mandelbrot_pixels.hpp.
//
// Launches: none from the device.
// Hazards: none. Only one thread writes each pixel.
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Blocks of block / 16 rows of 16 pixels, so that the threads of a warp have pixels close to each other.
inline constexpr unsigned kTileColumns = 16;

__global__ void dwell_per_thread(MandelbrotTask task)
{
    const unsigned rows = blockDim.x / kTileColumns;
    const unsigned x = blockIdx.x * kTileColumns + threadIdx.x % kTileColumns;
    const unsigned y = blockIdx.y * rows + threadIdx.x / kTileColumns;
    if (x < task.nx && y < task.ny)
        pixel_of(task, x, y) = dwell_of(task, x, y);
}

struct MandelbrotExhaustive {
    static constexpr bool exhaustive = true;
    static constexpr StrategyInfo info{
        .name = "mandelbrot_exhaustive",
        .workload = &workloads::mandelbrot,
        .summary = "flat: one thread per pixel, no recursion",
        .hazards = "none: only one thread writes each pixel",
        .source = "the escape-time algorithm",
    };

    static void run(const MandelbrotJob& job)
    {
        const unsigned rows = job.point.block / kTileColumns;
        host_launch<dwell_per_thread>(
            job.context, 0,
            {dim3((job.task.nx - 1) / kTileColumns + 1, (job.task.ny - 1) / rows + 1), job.point.block}, job.task);
    }
};

const Register<MandelbrotExhaustive, MandelbrotTraits> mandelbrot_exhaustive;

} // namespace nestbed::inline NESTBED_BACKEND
