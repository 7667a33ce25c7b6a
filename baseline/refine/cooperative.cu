// refine_cooperative: all levels of all time steps in one grid, whose blocks wait for each other between them. CUDA only.
// What a block does is in src/workloads/refine/refine.hpp (RefineCells), the levels in src/device/parts/request_levels.hpp.
//
//     for each time step, for each level: the blocks share the refined cells of the level; then all wait
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none. All blocks are resident, and wait for each other.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups".
#include "workloads/refine/refine.hpp"

#ifdef __CUDACC__
#include "device/cuda/grid_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
__global__ void LAUNCH_BOUNDS(1024, 1) refine_together(RequestRun<RefineCells> run, ChildGrid<RefineCells::Item> root,
                                                       ChildGrid<RefineCells::Item>* next)
{
    unsigned steps = root.blocks / run.job.tiles;
    root.blocks = run.job.tiles;
    for (; steps != 0; --steps) {
        next = run_all_levels(run, root, next, nullptr);
        next_root(run, root);
        __syncthreads();
    }
}
#endif

struct RefineCooperative {
    static constexpr StrategyInfo info{
        .name = "refine_cooperative",
        .workload = &workloads::refine,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid for all levels of all time steps",
        .hazards = "none: all blocks are resident and wait for each other",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .cuda_only = true,
    };

#ifdef __CUDACC__
    static GridLevels<RefineCells> prepare(const RefineJob& job)
    {
        return grid_levels<refine_together>(job, set_up_requests<RefineCells>(job, job.task), job.steps);
    }

    static void run(const RefineJob& job, const GridLevels<RefineCells>& grid)
    {
        run_levels_together<refine_together>(job, grid);
    }
#endif
};

const Register<RefineCooperative, RefineTraits> refine_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
