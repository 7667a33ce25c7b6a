// mandelbrot_graph: the recursion of mandelbrot_split by a device graph that launches itself again. CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the regions of the level and collect their parts; the last block to finish makes these the
//         next level, and launches the graph again if there are any
//
// Launches: one per level below the root. The host makes the first launch.
// Hazards: none. A graph that launches itself runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch".
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using GraphExpand = ExpandMandelbrot<false>;

// The levels with even and with odd numbers.
struct RegionLevels {
    ChildGrid<GraphExpand::Item> grid[2];
    unsigned level;
    unsigned arrived;
};

#ifdef __CUDACC__
template <class Nest>
__global__ void mandelbrot_graph(RequestRun<GraphExpand> run, RegionLevels* levels, Nest nest)
{
    const unsigned long long now = nest.now();
    const unsigned level = levels->level;
    const Nest here = nest.at(level);
    const auto scope = here.enter(now);
    const ChildGrid<GraphExpand::Item> grid = levels->grid[level % 2];
    ChildGrid<GraphExpand::Item>* next = &levels->grid[(level + 1) % 2];
    for (unsigned block = blockIdx.x; block < grid.blocks; block += gridDim.x)
        run_block(run, grid, block, KeepSink<GraphExpand::Item>{next});
    __syncthreads();
    if (threadIdx.x == 0 && arrives_last(&levels->arrived, gridDim.x)) {
        levels->grid[level % 2].blocks = 0;
        levels->level = level + 1;
        if (next->blocks != 0)
            launch_graph_again(here);
    }
}
#endif

struct MandelbrotGraph {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_graph",
        .workload = &workloads::mandelbrot,
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph of one level of regions that launches itself again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
        .requests = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

#ifdef __CUDACC__
    struct Prepared {
        RequestSetup<GraphExpand> setup;
        Buffer<RegionLevels> levels;
        Graph graph;
    };

    static Prepared prepare(const MandelbrotJob& job)
    {
        RequestSetup<GraphExpand> setup = set_up_requests<GraphExpand>(job, job.task);
        auto levels = job.context.allocate<RegionLevels>(1);
        RegionLevels start{};
        start.grid[0] = root_grid(setup.run, {.blocks = job.roots}, job.point.block);
        job.context.upload(levels, std::span<const RegionLevels>(&start, 1));
        Graph graph = job.context.capture(true, [&] {
            with_nest<Mechanism::graph_tail>(job, 0, [&](auto nest) {
                const std::uint32_t blocks =
                    job.context.resident_blocks<mandelbrot_graph<decltype(nest)>>(job.point.block);
                host_launch<mandelbrot_graph<decltype(nest)>>(job.context, 0, {blocks, job.point.block}, setup.run,
                                                              levels.data(), nest);
            });
        });
        return {std::move(setup), std::move(levels), std::move(graph)};
    }

    static void run(const MandelbrotJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<MandelbrotGraph, MandelbrotRoom> mandelbrot_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
