// refine_levels: the refinement of refine_children level by level: the host launches one grid per level of each time step.
// What a block does is in src/workloads/refine/refine.hpp (RefineCells), the levels in src/device/parts/request_levels.hpp.
//
//     host, for each time step:
//         launch the root grid
//         repeat: read how many blocks the level's refined cells need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. Only one warp writes each cell, and a grid starts when the grid before it is complete.
// Source: ours.
#include "device/parts/request_levels.hpp"
#include "workloads/refine/refine.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// One level: its last block makes what all blocks request the next one.
__global__ void LAUNCH_BOUNDS(1024, 1)
    refine_level(RequestRun<RefineCells> run, ChildGrid<RefineCells::Item> grid, ChildGrid<RefineCells::Item>* next)
{
    run_block(run, grid, blockIdx.x, KeepSink<RefineCells::Item>{next});
}

struct RefineLevels {
    static constexpr StrategyInfo info{
        .name = "refine_levels",
        .workload = &workloads::refine,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of each time step, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "ours",
        .waits = true,
    };

    static HostLevels<RefineCells> prepare(const RefineJob& job)
    {
        const unsigned grids = job.steps * (job.oracle.launches.levels() + 1);
        return host_levels(job, set_up_requests<RefineCells>(job, job.task), grids);
    }

    static void run(const RefineJob& job, const HostLevels<RefineCells>& levels)
    {
        run_levels<refine_level>(job, levels, job.steps);
    }
};

const Register<RefineLevels, RefineTraits> refine_levels;

} // namespace nestbed::inline NESTBED_BACKEND
