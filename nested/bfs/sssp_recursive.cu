// sssp_recursive: shortest paths without levels: a child follows the edges of one vertex, and launches a child for each vertex that
// it reaches by a shorter path.
//
//     child(vertex, distance): one thread per edge
//         distance + weight is less than what is known of the end of the edge (atomic minimum): launch child(end)
//         but put the end aside if it has fewer than `threshold` edges, or the launch is refused
//     host: start with the source; a root grid for the vertices put aside, until there are none
//
// Launches: by the order of execution: a vertex is launched for again whenever a shorter path to it is found later. The ledger must
// equal what the threads wanted; refused launches are replaced by the next root grid.
// Hazards: none for the answer: distances only fall, by an atomic minimum. But far more work than by levels, if long paths come
// first.
// Source: KLAP, MICRO 2016; "unordered" in Hassaan, Burtscher, Pingali, PPoPP 2011.
#include "workloads/bfs/graph_recursive.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspRecursive {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "sssp_recursive",
        .workload = &workloads::sssp,
        .mechanisms = kMechanisms,
        .summary = "without levels: a child per vertex launches a child per vertex that it reaches",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "KLAP, MICRO 2016",
        .axes = {axis::threshold},
        .by_order = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static AsideSetup prepare(const GraphJob& job) { return set_up_aside(job); }
    static void run(const GraphJob& job, const AsideSetup& setup) { run_aside<SsspRecursive, true>(job, setup); }
};

const Register<SsspRecursive, GraphRoom> sssp_recursive;

} // namespace nestbed::inline NESTBED_BACKEND
