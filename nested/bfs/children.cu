// bfs_children: breadth-first search round by round; a child for the edges of every vertex that changed in the last round.
//
//     host, for each round:
//         root(vertices): one thread per vertex
//             if the vertex was reached in the last round: offer its edges
//         edges < threshold: the thread follows them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//     until no vertex changes
//
// Launches: one per offered vertex and round, or one per group of vertices (`aggregate`): by the oracle, because they depend on
// the input.
// Hazards: none. A round starts when the round before it is complete. Distances only fall, by an atomic minimum. Items of a
// launch are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: KLAP, MICRO 2016, benchmark BFS.
#include "workloads/bfs/graph_rounds.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BfsChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "bfs_children",
        .workload = &workloads::bfs,
        .mechanisms = kMechanisms,
        .summary = "round by round, a child for the edges of every vertex that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016, benchmark BFS",
        .offers = true,
        .per_vertex = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::children;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RoundSetup<false> prepare(const GraphJob& job) { return set_up_rounds<false>(job); }
    static void run(const GraphJob& job, const RoundSetup<false>& setup) { run_rounds<BfsChildren>(job, setup); }
};

const Register<BfsChildren, GraphRoom> bfs_children;

} // namespace nestbed::inline NESTBED_BACKEND
