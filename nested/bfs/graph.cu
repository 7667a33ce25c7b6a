// bfs_graph, sssp_graph: the searches of bfs_tail and sssp_near_far by a graph of one node that runs again: a device graph that
// launches itself (graph_tail), or the body of a WHILE node (graph_while). CUDA only.
// A step is in src/workloads/bfs/graph_steps.hpp and graph_levels.hpp, the order of steps in src/device/parts/search_steps.hpp.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share a step; the last one to finish does the small steps after it, and lets the graph run again for
//         the next large one
//
// Launches: graph_while: none. graph_tail: bfs_graph: as bfs_tail; sssp_graph: one per step that is too large for one block, but the
// first, by the order of execution; the ledger must equal what the blocks requested. The host makes the first launch.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes";
// Davidson, Baxter, Garland, Owens, IPDPS 2014.
#include "workloads/bfs/graph_steps.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// A run of the graph: one step; each block does its share. The last block to finish plans the next step, and runs that itself if one
// block is enough, and so on. Otherwise it calls the first function below, which lets the graph run again; if that is refused, it runs
// the step itself.
template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024) search_graph_step(const __grid_constant__ GraphSearch search, Nest nest)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    const unsigned long long now_ns = nest.now();
    Nest here = nest.at(search.state->grids);
    const auto scope = here.enter(now_ns);
    SearchBlock<GraphSteps<Weighted>>{search, shared[0]}.run_or_launch(
        here, search.task.totals,
        [&](unsigned blocks) {
            count_request(search, blocks);
            return run_graph_again(here);
        },
        [&] { end_graph(here); });
}

template <bool Weighted>
StepGraph<GraphSearchSetup> capture_search(const GraphJob& job, const GraphSearchOptions& options)
{
    return step_graph(
        job, [](auto nest) { return search_graph_step<Weighted, decltype(nest)>; },
        [&](std::uint32_t blocks) { return set_up_search(job, options, blocks); });
}
#endif

struct BfsGraph {
    static constexpr std::array kMechanisms{Mechanism::graph_tail, Mechanism::graph_while};
    static constexpr StrategyInfo info{
        .name = "bfs_graph",
        .workload = &workloads::bfs,
        .mechanisms = kMechanisms,
        .summary = "a graph of one large level that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::graph;
    static constexpr bool backwards = true;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static StepGraph<GraphSearchSetup> prepare(const GraphJob& job)
    {
        return capture_search<false>(job, {.small = true, .directions = true});
    }

    static void run(const GraphJob& job, const StepGraph<GraphSearchSetup>& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

struct SsspGraph {
    static constexpr std::array kMechanisms{Mechanism::graph_tail, Mechanism::graph_while};
    static constexpr StrategyInfo info{
        .name = "sssp_graph",
        .workload = &workloads::sssp,
        .mechanisms = kMechanisms,
        .summary = "a graph of one large step of near-far that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {BfsParameter::bucket_width},
        .cuda_only = true,
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_order() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static StepGraph<GraphSearchSetup> prepare(const GraphJob& job)
    {
        return capture_search<true>(job, {.small = true, .near_far = true});
    }

    static void run(const GraphJob& job, const StepGraph<GraphSearchSetup>& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<BfsGraph, GraphTraits> bfs_graph;
const Register<SsspGraph, GraphTraits> sssp_graph;

} // namespace nestbed::inline NESTBED_BACKEND
