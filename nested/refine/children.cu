// refine_children: adaptive refinement of a field that moves; a child for every refined cell.
// What a block does is in src/workloads/refine/refine.hpp (RefineCells), its child grids in src/device/parts/request_children.hpp.
//
//     host, for each time step:
//         root(field): division * division blocks, a tile each: its four cells
//     cell: a warp
//         follow the paths of its samples; write the mean of the samples' values
//         if their range is too large: launch for the four parts of the cell
//
// Launches: one per refined cell; fewer with `aggregate`: one per block that has refined cells with `block`, one per level of
// each time step with `grid`. By the oracle, because they depend on the input.
// Hazards: none. Only one warp writes each cell. What a cell reads of the time step before belongs to the same tile, whose root
// blocks follow each other in one stream, and a grid is complete only when its children are.
// Source: Berger, Colella, J. Comput. Phys. 1989; with launches: ours.
#include "workloads/refine/refine.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The kernel of every grid. run_grid() calls RefineCells::block() in all threads of a block (in the root grid: root()), and
// launches a grid for the threads that return true, which have put a refined cell into their item.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    refine_children(const __grid_constant__ RequestRun<RefineCells> run,
                    const __grid_constant__ ChildGrid<RefineCells::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<refine_children<Nest>>(run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
        return launch<refine_children<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

struct RefineChildren {
    static constexpr StrategyInfo info{
        .name = "refine_children",
        .workload = &workloads::refine,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for every refined cell; a warp processes each of its four parts",
        .hazards = "none: a time step of a tile starts when the one before it is complete",
        .source = "Berger, Colella, J. Comput. Phys. 1989; with launches: ours",
        .requests = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<RefineCells> prepare(const RefineJob& job)
    {
        return set_up_requests<RefineCells>(job, job.task);
    }

    static void run(const RefineJob& job, const RequestSetup<RefineCells>& setup)
    {
        launch_waves<RefineChildren>(job, [&](const auto& wave, auto nest) {
            host_launch<refine_children<decltype(nest)>>(wave, job.point.block, setup.run,
                                                         root_grid(setup.run, wave, job.point.block), nest);
        });
    }
};

const Register<RefineChildren, RefineTraits> refine_children_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
