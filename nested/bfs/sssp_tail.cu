// sssp_tail: shortest paths by Bellman and Ford over lists; the last block of a step launches the next one.
//
//     as bfs_tail, but a vertex is listed again whenever a shorter path to it is found
//
// Launches: one per step that is too large for one block. The order of execution decides how many there are: a step may find a
// distance that an earlier edge of the same step has just made shorter. The ledger must equal what the blocks wanted.
// Hazards: none: as bfs_tail. Distances only fall, by an atomic minimum, so that the end does not depend on the order.
// Source: Davidson, Baxter, Garland, Owens, IPDPS 2014 (workfront sweep).
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspTail {
    static constexpr std::array kMechanisms{Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream};
    static constexpr StrategyInfo info{
        .name = "sssp_tail",
        .workload = &workloads::sssp,
        .mechanisms = kMechanisms,
        .summary = "shortest paths over lists; the last block of a step launches the next",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_search(job, {.small = true, .first_small = true},
                             blocks_at_once<search_steps<true, NestBy<Mechanism::tail, false>>>(job));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        launch_waves<SsspTail>(job, [&](auto wave, auto nest) {
            wave.blocks = setup.first_blocks;
            host_launch<search_steps<true, decltype(nest)>>(wave, job.point.block, setup.search, nest);
        });
    }
};

const Register<SsspTail, GraphRoom> sssp_tail;

} // namespace nestbed::inline NESTBED_BACKEND
