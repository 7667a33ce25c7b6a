// bfs_queue_children: breadth-first search round by round, as in bfs_children, but the round before has written a queue of the
// vertices that changed, and only these get a thread.
//
//     queue = the source
//     host, for each round, while the queue has vertices:
//         root(queue): one thread per vertex of the queue
//             offer the edges of the vertex
//         edges < threshold: the thread follows them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//             append each end that is reached by a shorter path, and has edges, to the queue of the next round, once
//
// Launches: one per offered vertex and round, or one per group of vertices (`aggregate`). The set of vertices of a round is a
// function of the graph, their order in the queue is not. So the oracle knows the launches of `none` and `grid`. Of a warp, a
// block or a group of blocks it knows the most; the ledger must equal what the blocks wanted.
// Hazards: none. A round starts when the round before it is complete, and its queue with it. Distances only fall, by an atomic
// minimum. Items of a launch are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: KLAP, MICRO 2016, benchmark BFS; the queue as in Merrill, Garland, Grimshaw, "Scalable GPU Graph Traversal", PPoPP 2012.
#include "workloads/bfs/graph_rounds.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BfsQueueChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "bfs_queue_children",
        .workload = &workloads::bfs,
        .mechanisms = kMechanisms,
        .summary = "round by round, a child for the edges of every vertex in a queue of those that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016; frontier queue, Merrill, Garland, Grimshaw, PPoPP 2012",
        .offers = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::queue;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static QueueSetup<false> prepare(const GraphJob& job) { return set_up_queue<false>(job); }
    static void run(const GraphJob& job, const QueueSetup<false>& setup)
    {
        run_queue_rounds<BfsQueueChildren>(job, setup);
    }
};

const Register<BfsQueueChildren, GraphRoom> bfs_queue_children;

} // namespace nestbed::inline NESTBED_BACKEND
