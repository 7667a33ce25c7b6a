// bfs_tail, sssp_tail, sssp_near_far: a search in which the last block of a step launches the next one.
// A step is in src/workloads/bfs/graph_steps.hpp and graph_levels.hpp, the order of steps in src/device/parts/search_steps.hpp.
//
//     root: one block, with the source in its list; more blocks if the source has many edges
//     step: the blocks share the edges of the list evenly, and append what they reach to the next list
//         (bfs: or, of a level with many edges: every vertex that was not reached looks for a neighbour in the level)
//         the last block: none left: end
//             a small next level: do it here, with the vertices in shared memory, and the levels after it while they are small
//             otherwise: launch a grid for it
//     sssp_tail (Bellman and Ford): a vertex is listed again whenever a shorter path to it is found
//     sssp_near_far: a vertex at a distance of `bound` or more is put aside; no near ones are left: bound += delta, and a step
//         moves those put aside that are near now to the next list
//         a block goes on with the near vertices that it has reached, if they have few edges, for up to 32 rounds, before it appends what
//         is left: others may shorten the same paths meanwhile, so that it works more, and waits less
//
// Launches: one per step, but the first, that is not small (2048 vertices, 8192 edges) and needs more than one block
// (src/workloads/bfs/graph_step.hpp). bfs: by the oracle, because they depend on the input. sssp: the order of execution decides
// how many steps there are, because a step may find a distance that an earlier edge of the same step has just made shorter; the
// ledger must equal what the blocks requested. The block does itself what is refused.
// Hazards: none. The last block arrives with acquire-release order, so it and its child see what all blocks wrote. bfs: a vertex
// is in a list once, because one atomic operation reaches it first. sssp: distances only fall, by an atomic minimum, so that the
// end does not depend on the order. A vertex is among the far ones once, because of a flag, and in a list once, because of its number.
// Source: Merrill, Garland, Grimshaw, PPoPP 2012 (lists of vertices); Beamer, Asanovic, Patterson, SC 2012 (directions);
// Davidson, Baxter, Garland, Owens, IPDPS 2014 (workfront sweep, near-far); Zhang et al., CGO 2020 (rounds).
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A grid runs one step; each block does its share. The last block to finish plans the next step, and runs that itself if one block is
// enough, and so on. Otherwise it calls the function below, which launches a grid for the step; if that is refused, it runs it itself.
template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024) search_tail(const __grid_constant__ GraphSearch search, Nest nest)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    const unsigned long long now_ns = nest.now();
    Nest here = nest;
    const auto scope = here.enter(now_ns);
    SearchBlock<GraphSteps<Weighted>>{search, shared[0]}.run_or_launch(
        here, search.task.totals,
        [&](unsigned blocks) {
            count_request(search, blocks);
            return launch<search_tail<Weighted, Nest>>(here, {blocks, blockDim.x}, search);
        },
        [] {});
}

// What the strategies have in common: their mechanisms, the lists and counters, and the first grid, which the host launches.
template <bool Weighted>
struct TailSearch {

    static GraphSearchSetup set_up(const GraphJob& job, const GraphSearchOptions& options)
    {
        return set_up_search(
            job, options,
            job.context.resident_blocks<search_tail<Weighted, NestBy<Mechanism::tail, false>>>(job.point.block));
    }

    template <class Strategy>
    static void launch_first(const GraphJob& job, const GraphSearchSetup& setup)
    {
        launch_waves<Strategy>(job, [&](auto wave, auto nest) {
            wave.blocks = setup.first_blocks;
            host_launch<search_tail<Weighted, decltype(nest)>>(wave, job.point.block, setup.search, nest);
        });
    }
};

struct BfsTail : TailSearch<false> {
    static constexpr StrategyInfo info{
        .name = "bfs_tail",
        .workload = &workloads::bfs,
        .mechanisms =
            kOnly<Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "the last block of a level launches the next; small levels run in one block",
        .hazards = "none: the last block arrives with acquire-release order",
        .source = "Merrill, Garland, Grimshaw, PPoPP 2012; Beamer, Asanovic, Patterson, SC 2012",
    };
    static constexpr GraphForm form = GraphForm::levels;
    static constexpr bool backwards = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up(job, {.small = true, .first_small = true, .directions = true});
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup) { launch_first<BfsTail>(job, setup); }
};

struct SsspTail : TailSearch<true> {
    static constexpr StrategyInfo info{
        .name = "sssp_tail",
        .workload = &workloads::sssp,
        .mechanisms =
            kOnly<Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "shortest paths over lists; the last block of a step launches the next",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up(job, {.small = true, .first_small = true}); }

    static void run(const GraphJob& job, const GraphSearchSetup& setup) { launch_first<SsspTail>(job, setup); }
};

struct SsspNearFar : TailSearch<true> {
    static constexpr StrategyInfo info{
        .name = "sssp_near_far",
        .workload = &workloads::sssp,
        .mechanisms =
            kOnly<Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "shortest paths, near vertices first; the last block of a step launches the next",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {BfsParameter::bucket_width},
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up(job, {.small = true, .first_small = true, .near_far = true});
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup) { launch_first<SsspNearFar>(job, setup); }
};

const Register<BfsTail, GraphTraits> bfs_tail;
const Register<SsspTail, GraphTraits> sssp_tail;
const Register<SsspNearFar, GraphTraits> sssp_near_far;

} // namespace nestbed::inline NESTBED_BACKEND
