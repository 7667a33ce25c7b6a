// bfs_tail: breadth-first search; the last block of a level launches the next one.
//
//     root: one block, with the source in its list; more blocks if the source has many edges
//     step: the blocks share the edges of the level's list evenly, and append what they reach to the next list
//         (or, of a level with many edges: every vertex that was not reached looks for a neighbour in the level)
//         the last block: none left: end
//             a small next level: do it here, with the vertices in shared memory, and the levels after it while they are small
//             otherwise: launch a grid for it
//
// Launches: one per level, but the first, that is not small (2048 vertices, 8192 edges) and needs more than one block
// (src/workloads/bfs/graph_step.hpp); by the oracle, because they depend on the input. The block does itself what is refused.
// Hazards: none. The last block arrives with acquire-release order, so it and its child see what all blocks wrote. A vertex
// is in a list once, because one atomic operation reaches it first.
// Source: Merrill, Garland, Grimshaw, PPoPP 2012 (lists of vertices); Beamer, Asanovic, Patterson, SC 2012 (directions).
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BfsTail {
    static constexpr std::array kMechanisms{Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream};
    static constexpr StrategyInfo info{
        .name = "bfs_tail",
        .workload = &workloads::bfs,
        .mechanisms = kMechanisms,
        .summary = "the last block of a level launches the next; small levels run in one block",
        .hazards = "none: the last block arrives with acquire-release order",
        .source = "Merrill, Garland, Grimshaw, PPoPP 2012; Beamer, Asanovic, Patterson, SC 2012",
    };
    static constexpr GraphForm form = GraphForm::levels;
    static constexpr bool backwards = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_search(job, {.small = true, .first_small = true, .directions = true},
                             blocks_at_once<search_steps<false, NestBy<Mechanism::tail, false>>>(job));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        launch_waves<BfsTail>(job, [&](auto wave, auto nest) {
            wave.blocks = setup.first_blocks;
            host_launch<search_steps<false, decltype(nest)>>(wave, job.point.block, setup.search, nest);
        });
    }
};

const Register<BfsTail, GraphRoom> bfs_tail;

} // namespace nestbed::inline NESTBED_BACKEND
