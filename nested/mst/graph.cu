// mst_graph: the search of mst_tail by a graph of one node that runs again: a device graph that launches itself (graph_tail),
// or the body of a WHILE node (graph_while). CUDA only.
// A step is in src/workloads/mst/mst_steps.hpp, the order of steps in mst_search.hpp and src/device/parts/search_steps.hpp.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share a step; the last one to finish does the small steps after it, and lets the graph run again for the
//         next large one
//
// Launches: graph_while: none. graph_tail: as mst_tail. The host makes the first launch.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes"; Fallin,
// Gonzalez, Seo, Burtscher, SC 2023.
#include "workloads/mst/mst_search.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// A run of the graph: one step; each block does its share. The last block to finish plans the next step, and runs that itself if one
// block is enough, and so on. Otherwise it calls the first function below, which lets the graph run again; if that is refused, it runs
// the step itself.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) mst_graph_step(const __grid_constant__ MstSearch search, Nest nest)
{
    BLOCK_SHARED(MstShared, shared, 1);
    const unsigned long long now_ns = nest.now();
    Nest here = nest.at(search.state->grids);
    const auto scope = here.enter(now_ns);
    SearchBlock<MstSteps>{search, shared[0]}.run_or_launch(
        here, search.totals,
        [&](unsigned /*blocks*/) {
            ++search.state->grids;
            return run_graph_again(here);
        },
        [&] { end_graph(here); });
}
#endif

struct MstGraphRuns {
    static constexpr std::array kMechanisms{Mechanism::graph_tail, Mechanism::graph_while};
    static constexpr StrategyInfo info{
        .name = "mst_graph",
        .workload = &workloads::mst,
        .mechanisms = kMechanisms,
        .summary = "over a list of edges, light ones first; a graph of one large step that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr MstForm form = MstForm::steps;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static StepGraph<MstSetup> prepare(const MstJob& job)
    {
        return step_graph(
            job, [](auto nest) { return mst_graph_step<decltype(nest)>; },
            [&](std::uint32_t blocks) { return set_up_search(job, blocks); });
    }

    static void run(const MstJob& job, const StepGraph<MstSetup>& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<MstGraphRuns, MstTraits> mst_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
