// bfs_balanced: breadth-first search level by level by the host; blocks share the edges of a level evenly.
//
//     host: launch a grid for the level
//     block: search the list for the vertex of its first edge; a search in shared memory finds those of the others
//     repeat: read how many vertices the next list has, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: Merrill, Garland, Grimshaw, PPoPP 2012; load-balanced search, Baxter, moderngpu.
#include "workloads/bfs/graph_host.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BfsBalanced {
    static constexpr StrategyInfo info{
        .name = "bfs_balanced",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: levels by the host, whose blocks share the edges evenly",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Merrill, Garland, Grimshaw, PPoPP 2012",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up_host_steps<false>(job, {}); }
    static void run(const GraphJob& job, const GraphSearchSetup& setup) { run_host_steps<false>(job, setup); }
};

const Register<BfsBalanced, GraphRoom> bfs_balanced;

} // namespace nestbed::inline NESTBED_BACKEND
