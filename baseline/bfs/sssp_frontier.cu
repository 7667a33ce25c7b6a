// sssp_frontier: shortest paths level by level by the host, with a thread per vertex of the level.
//
//     host: launch a thread for each vertex of the list
//     thread: follow all edges of the vertex; append what is reached by a shorter path to the next list
//     repeat: read how many vertices the next list has, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: Harish, Narayanan, HiPC 2007; with lists, Merrill, Garland, Grimshaw, PPoPP 2012.
#include "workloads/bfs/graph_host.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspFrontier {
    static constexpr StrategyInfo info{
        .name = "sssp_frontier",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: levels by the host, a thread per vertex of the level",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Harish, Narayanan, HiPC 2007",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up_search(job, {}, 1); }
    static void run(const GraphJob& job, const GraphSearchSetup& setup) { run_frontiers<true>(job, setup); }
};

const Register<SsspFrontier, GraphRoom> sssp_frontier;

} // namespace nestbed::inline NESTBED_BACKEND
