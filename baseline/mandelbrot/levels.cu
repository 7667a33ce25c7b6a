// mandelbrot_levels: the recursion of mandelbrot_split level by level: the host launches one grid per level.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. Only one grid writes each pixel, and a grid starts when the grid before it is complete.
// Source: adaptive serial kernels (ASK), Quezada, Navarro et al., FGCS 2023.
#include "device/parts/request_levels.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using ExpandSplit = ExpandMandelbrot<false>;

// One level: its last block makes what all blocks request the next one. At most 32 registers per thread, so that the device is full.
__global__ void LAUNCH_BOUNDS(1024, 2)
    mandelbrot_level(RequestRun<ExpandSplit> run, ChildGrid<ExpandSplit::Item> grid,
                     ChildGrid<ExpandSplit::Item>* next)
{
    run_block(run, grid, blockIdx.x, KeepSink<ExpandSplit::Item>{next});
}

struct MandelbrotLevels {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_levels",
        .workload = &workloads::mandelbrot,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of the recursion, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "adaptive serial kernels, Quezada, Navarro et al., FGCS 2023",
        .waits = true,
    };

    static HostLevels<ExpandSplit> prepare(const MandelbrotJob& job)
    {
        return host_levels(job, set_up_requests<ExpandSplit>(job, job.task));
    }

    static void run(const MandelbrotJob& job, const HostLevels<ExpandSplit>& levels)
    {
        run_levels<mandelbrot_level>(job, levels);
    }
};

const Register<MandelbrotLevels, MandelbrotRoom> mandelbrot_levels;

} // namespace nestbed::inline NESTBED_BACKEND
