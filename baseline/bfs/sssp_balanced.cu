// sssp_balanced: shortest paths step by step by the host, near vertices first; blocks share the edges of a step evenly.
//
//     as bfs_balanced, with the steps of nested/bfs/sssp_near_far.cu
//
// Launches: none from the device; one per step from the host, which waits for each step to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: Davidson, Baxter, Garland, Owens, IPDPS 2014 (near-far).
#include "workloads/bfs/graph_host.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspBalanced {
    static constexpr StrategyInfo info{
        .name = "sssp_balanced",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: near-far steps by the host, whose blocks share the edges evenly",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {axis::delta},
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up_host_steps<true>(job, {.near_far = true}); }
    static void run(const GraphJob& job, const GraphSearchSetup& setup) { run_host_steps<true>(job, setup); }
};

const Register<SsspBalanced, GraphRoom> sssp_balanced;

} // namespace nestbed::inline NESTBED_BACKEND
