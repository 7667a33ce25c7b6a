// bfs_graph: the search of bfs_tail by a device graph that launches itself again. CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share a level; the last one to finish does the small levels after it, and launches the graph again for
//         the next large one
//
// Launches: as bfs_tail. The host makes the first launch.
// Hazards: none. A graph that launches itself runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch".
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BfsGraph {
    static constexpr StrategyInfo info{
        .name = "bfs_graph",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph of one large level that launches itself again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::graph;
    static constexpr bool backwards = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

#ifdef __CUDACC__
    static CapturedSearch prepare(const GraphJob& job)
    {
        return capture_search<false>(job, {.small = true, .directions = true});
    }

    static void run(const GraphJob& job, const CapturedSearch& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<BfsGraph, GraphRoom> bfs_graph;

} // namespace nestbed::inline NESTBED_BACKEND
