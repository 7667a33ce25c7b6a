// sssp_children: shortest paths round by round; a child for the edges of every vertex that changed in the last round.
//
//     host, for each round:
//         copy the distances, and mark the vertices whose distance fell
//         root(vertices): one thread per vertex
//             if the vertex is marked: offer its edges
//         edges < threshold: the thread follows them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//     until no vertex changes
//
// Launches: one per offered vertex and round, or one per group of vertices (`aggregate`): by the oracle, because they depend on
// the input: a round goes by the distances at its begin, in any order.
// Hazards: none. A round starts when the round before it is complete. Distances only fall, by an atomic minimum. Items of a
// launch are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: KLAP, MICRO 2016, benchmark SSSP.
#include "workloads/bfs/graph_rounds.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "sssp_children",
        .workload = &workloads::sssp,
        .mechanisms = kMechanisms,
        .summary = "round by round, a child for the edges of every vertex that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016, benchmark SSSP",
        .offers = true,
        .per_vertex = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::children;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RoundSetup<true> prepare(const GraphJob& job) { return set_up_rounds<true>(job); }
    static void run(const GraphJob& job, const RoundSetup<true>& setup) { run_rounds<SsspChildren>(job, setup); }
};

const Register<SsspChildren, GraphRoom> sssp_children;

} // namespace nestbed::inline NESTBED_BACKEND
