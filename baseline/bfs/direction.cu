// bfs_direction: breadth-first search level by level by the host, top-down or bottom-up.
//
//     as bfs_balanced; but a level with more than 1/14 of the unexplored edges is done from below:
//     every vertex that was not reached looks for a neighbour in the level, and stops at the first
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: Beamer, Asanovic, Patterson, "Direction-Optimizing Breadth-First GraphSearch", SC 2012.
#include "workloads/bfs/graph_host.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BfsDirection {
    static constexpr StrategyInfo info{
        .name = "bfs_direction",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: levels by the host, top-down or bottom-up",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Beamer, Asanovic, Patterson, SC 2012",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_host_steps<false>(job, {.directions = true});
    }
    static void run(const GraphJob& job, const GraphSearchSetup& setup) { run_host_steps<false>(job, setup); }
};

const Register<BfsDirection, GraphRoom> bfs_direction;

} // namespace nestbed::inline NESTBED_BACKEND
