// refine_graph: the refinement of refine_children by a graph of one node that runs again: a device graph that launches itself
// (graph_tail), or the body of a WHILE node (graph_while). CUDA only.
// What a block does is in src/workloads/refine/refine.hpp (RefineCells), the levels in src/device/parts/request_levels.hpp.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the refined cells of the level; the last block to finish makes what they request the next level,
//         or, after the last level, the tiles of the next time step, and lets the graph run again if there are any
//
// Launches: graph_tail: one per level of each time step, without the first; graph_while: none. The host makes the first launch.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes".
#include "workloads/refine/refine.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    refine_graph(RequestRun<RefineCells> run, RequestLevels<RefineCells::Item>* levels, Nest nest)
{
    run_level(run, levels, nest);
}
#endif

struct RefineGraph {
    static constexpr StrategyInfo info{
        .name = "refine_graph",
        .workload = &workloads::refine,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of one level of refined cells that runs again, also for the next time step",
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
        RequestSetup<RefineCells> setup;
        RequestGraph<RefineCells::Item> levels;
    };

    static Prepared prepare(const RefineJob& job)
    {
        RequestSetup<RefineCells> setup = set_up_requests<RefineCells>(job, job.task);
        auto levels = request_graph(
            job, setup.run, [](auto nest) { return refine_graph<decltype(nest)>; }, job.steps);
        return {std::move(setup), std::move(levels)};
    }

    static void run(const RefineJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.levels.graph);
    }
#endif
};

const Register<RefineGraph, RefineTraits> refine_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
