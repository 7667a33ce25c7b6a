// mandelbrot_graph: the recursion of mandelbrot_split by a graph of one node that runs again: a device graph that launches itself
// (graph_tail), or the body of a WHILE node (graph_while). CUDA only.
// What a block does is in src/workloads/mandelbrot/mandelbrot.hpp (ExpandMandelbrot), the level in src/device/parts/request_levels.hpp.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the regions of the level and collect their parts; the last block to finish makes these the
//         next level, and lets the graph run again if there are any
//
// Launches: graph_tail: one per level below the root; graph_while: none. The host makes the first launch.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes".
#include "workloads/mandelbrot/mandelbrot.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

using GraphExpand = ExpandMandelbrot<false>;

#ifdef __CUDACC__
template <class Nest>
__global__ void mandelbrot_graph(RequestRun<GraphExpand> run, RequestLevels<GraphExpand::Item>* levels, Nest nest)
{
    run_level(run, levels, nest);
}
#endif

struct MandelbrotGraph {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_graph",
        .workload = &workloads::mandelbrot,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of one level of regions that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
        .requests = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    struct Prepared {
        RequestSetup<GraphExpand> setup;
        RequestGraph<GraphExpand::Item> levels;
    };

    static Prepared prepare(const MandelbrotJob& job)
    {
        RequestSetup<GraphExpand> setup = set_up_requests<GraphExpand>(job, job.task);
        auto levels = request_graph(job, setup.run, [](auto nest) { return mandelbrot_graph<decltype(nest)>; });
        return {std::move(setup), std::move(levels)};
    }

    static void run(const MandelbrotJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.levels.graph);
    }
#endif
};

const Register<MandelbrotGraph, MandelbrotTraits> mandelbrot_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
