// sssp_graph: the near-far search of sssp_near_far by a device graph that launches itself again. CUDA only.
//
//     as bfs_graph, with the steps of sssp_near_far
//
// Launches: one per step that is too large for one block, but the first, by the order of execution, as for sssp_tail. The ledger
// must equal what the blocks wanted.
// Hazards: none. A graph that launches itself runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Self-Relaunch"; Davidson, Baxter, Garland, Owens, IPDPS 2014.
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspGraph {
    static constexpr StrategyInfo info{
        .name = "sssp_graph",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph of one large step of near-far that launches itself again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {axis::delta},
        .cuda_only = true,
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

#ifdef __CUDACC__
    static CapturedSearch prepare(const GraphJob& job)
    {
        return capture_search<true>(job, {.small = true, .near_far = true});
    }

    static void run(const GraphJob& job, const CapturedSearch& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<SsspGraph, GraphRoom> sssp_graph;

} // namespace nestbed::inline NESTBED_BACKEND
