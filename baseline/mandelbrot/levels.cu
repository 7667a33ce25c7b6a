// mandelbrot_levels: the recursion of mandelbrot_split level by level: the host launches one grid per level.
// What a block does is in src/workloads/mandelbrot/mandelbrot.hpp (ExpandMandelbrot), the levels in src/device/parts/request_levels.hpp.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
//     host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: launch a grid for every level that there may be, as launches, as a graph, or as
//         a graph of programmatic launches; the blocks of a grid share the blocks of its level, which may be none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next, or
// max_mandelbrot_levels() + 1, or a graph of these.
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

// One of the levels that the host submits before it knows whether they are there.
__global__ void LAUNCH_BOUNDS(1024, 2)
    mandelbrot_submitted_level(RequestRun<ExpandSplit> run, ChildGrid<ExpandSplit::Item>* grid)
{
    begin_level();
    share_level(run, grid, grid + 1);
}

struct MandelbrotLevels {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_levels",
        .workload = &workloads::mandelbrot,
        .mechanisms = kLevelsByHost,
        .summary = "flat: one grid per level of the recursion, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "adaptive serial kernels, Quezada, Navarro et al., FGCS 2023",
        .waits = true,
    };

    static std::function<void()> prepare(const MandelbrotJob& job)
    {
        return level_by_level<mandelbrot_level, mandelbrot_submitted_level>(
            job, set_up_requests<ExpandSplit>(job, job.task));
    }
};

const Register<MandelbrotLevels, MandelbrotTraits> mandelbrot_levels;

} // namespace nestbed::inline NESTBED_BACKEND
