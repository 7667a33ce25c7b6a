// mandelbrot_levels: the recursion of mandelbrot_split level by level: the host launches one grid per level.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. Only one grid writes each pixel, and a grid starts when the grid before it is complete.
// Source: adaptive serial kernels (ASK), Quezada, Navarro et al., FGCS 2023.
#include "device/workloads/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using ExpandSplit = ExpandMandelbrot<false>;
using RegionGrid = ChildGrid<ExpandSplit::Item>;

// Keeps the one child grid of a level for the host.
struct KeepSink {
    RegionGrid* next;

    __device__ void delay() const {}
    __device__ void launch(const OfferRun<ExpandSplit>& run, RegionGrid child) const
    {
        atomicAdd(&run.memory.totals->blocks, static_cast<unsigned long long>(child.blocks));
        child.offer_row = atomicAdd(&run.memory.totals->rows, child.blocks);
        *next = child;
    }
};

__global__ void mandelbrot_level(OfferRun<ExpandSplit> run, RegionGrid grid, RegionGrid* next)
{
    run_offer_block(run, grid, blockIdx.x, KeepSink{next});
}

struct MandelbrotLevels {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_levels",
        .workload = "mandelbrot",
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of the recursion, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "adaptive serial kernels, Quezada, Navarro et al., FGCS 2023",
        .waits = true,
    };

    struct Prepared {
        OfferSetup<ExpandSplit> setup;
        Buffer<RegionGrid> next;
    };

    static Prepared prepare(const MandelbrotJob& job)
    {
        Prepared prepared{set_up_offers<ExpandSplit>(job, job.task),
                          job.context.template allocate<RegionGrid>(job.oracle.launches.levels() + 1, "next")};
        job.context.fill_bytes(prepared.next, 0, prepared.next.size());
        return prepared;
    }

    static void run(const MandelbrotJob& job, Prepared& prepared)
    {
        const OfferRun<ExpandSplit>& run = prepared.setup.run;
        RegionGrid grid = root_grid(run, {.blocks = job.roots}, job.point.block);
        for (unsigned level = 0; grid.blocks != 0; ++level) {
            host_launch<mandelbrot_level>(job.context, 0, {grid.blocks, job.point.block}, run, grid,
                                          prepared.next.data() + level);
            job.context.read(std::span(&grid, 1), prepared.next, level);
        }
    }
};

const RegisterMandelbrot<MandelbrotLevels> mandelbrot_levels;

} // namespace nestbed::inline NESTBED_BACKEND
