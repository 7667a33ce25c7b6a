// mandelbrot_split: the recursion of Mariani and Silver; a child for every part of a divided region; blocks fill and compute.
// mandelbrot_naive: the same with a child to divide, to fill and to compute every region.
// What a block does is in src/workloads/mandelbrot/mandelbrot.hpp (ExpandMandelbrot), its child grids in src/device/parts/request_children.hpp.
//
//     root(image): division * division blocks, one region each
//     test(region): one block
//         compute the dwells of the border, until two differ
//         if all are equal: fill the region; naive: launch fill(region)
//         if its parts would be no longer than `grain`: compute the region; naive: launch compute(region)
//         otherwise: for each of its fanout * fanout parts: launch test(part)
//     fill(region), compute(region), only naive: as many blocks as the region has pixels for
//
// Launches: one per region below the root; naive: also one per fill and one per computed region; fewer with `aggregate`: one per
// divided region with `block`, one per level with `grid`. By the oracle, because they depend on the input.
// Hazards: none. Only one grid writes each pixel. Items of a launch are written before a barrier (warp, block) or before
// an arrival with acquire-release order (grid).
// Source: Adinets, "Adaptive Parallel Computation with CUDA Dynamic Parallelism", NVIDIA 2014; Quezada, Navarro et al.,
// "Modeling GPU Dynamic Parallelism for Self Similar Density Workloads", FGCS 2023.
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The kernel of every grid. run_grid() calls ExpandMandelbrot::block() in all threads of a block (in the root grid: root()),
// and launches a grid for the threads that return true, which have put a region into their item.
// At most 64 registers per thread.
template <bool Naive, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    mandelbrot_regions(const __grid_constant__ RequestRun<ExpandMandelbrot<Naive>> run,
                       const __grid_constant__ ChildGrid<typename ExpandMandelbrot<Naive>::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<mandelbrot_regions<Naive, Nest>>(
        run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
            return launch<mandelbrot_regions<Naive, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
        });
}

// The root grid, in waves if its children could not all be pending at once.
template <class S, bool Naive>
void launch_regions(const MandelbrotJob& job, const RequestSetup<ExpandMandelbrot<Naive>>& setup)
{
    launch_waves<S>(job, [&](const auto& wave, auto nest) {
        host_launch<mandelbrot_regions<Naive, decltype(nest)>>(wave, job.point.block, setup.run,
                                                               root_grid(setup.run, wave, job.point.block), nest);
    });
}

struct MandelbrotSplit {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_split",
        .workload = &workloads::mandelbrot,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for every part of a divided region; blocks fill and compute",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Adinets, Adaptive Parallel Computation with CUDA Dynamic Parallelism, 2014",
        .requests = true,
    };
    using Expand = ExpandMandelbrot<false>;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<Expand> prepare(const MandelbrotJob& job) { return set_up_requests<Expand>(job, job.task); }

    static void run(const MandelbrotJob& job, const RequestSetup<Expand>& setup)
    {
        launch_regions<MandelbrotSplit>(job, setup);
    }
};

struct MandelbrotNaive {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_naive",
        .workload = &workloads::mandelbrot,
        .mechanisms = kChildrenByKernel,
        .summary = "a child to divide, to fill and to compute every region",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Adinets, Adaptive Parallel Computation with CUDA Dynamic Parallelism, 2014",
        .requests = true,
    };
    static constexpr bool naive = true;
    using Expand = ExpandMandelbrot<naive>;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<Expand> prepare(const MandelbrotJob& job) { return set_up_requests<Expand>(job, job.task); }

    static void run(const MandelbrotJob& job, const RequestSetup<Expand>& setup)
    {
        launch_regions<MandelbrotNaive>(job, setup);
    }
};

const Register<MandelbrotSplit, MandelbrotTraits> mandelbrot_split;
const Register<MandelbrotNaive, MandelbrotTraits> mandelbrot_naive;

} // namespace nestbed::inline NESTBED_BACKEND
