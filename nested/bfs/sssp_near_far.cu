// sssp_near_far: shortest paths; vertices nearer than a bound come first; the last block of a step launches the next one.
//
//     as sssp_tail, but a vertex at a distance of `bound` or more is put aside
//     no near ones are left: bound += delta; those put aside that are near now go to the next list
//
// Launches: one per step that is too large for one block, by the order of execution, as for sssp_tail. The ledger must equal what
// the blocks wanted.
// Hazards: none: as sssp_tail. A vertex is among the far ones once, because of a flag.
// Source: Davidson, Baxter, Garland, Owens, IPDPS 2014 (near-far).
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspNearFar {
    static constexpr std::array kMechanisms{Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream};
    static constexpr StrategyInfo info{
        .name = "sssp_near_far",
        .workload = &workloads::sssp,
        .mechanisms = kMechanisms,
        .summary = "shortest paths, near vertices first; the last block of a step launches the next",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {axis::delta},
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_order(); }

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_search(job, {.small = true, .first_small = true, .near_far = true},
                             blocks_at_once<search_steps<true, NestBy<Mechanism::tail, false>>>(job));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        launch_waves<SsspNearFar>(job, [&](auto wave, auto nest) {
            wave.blocks = setup.first_blocks;
            host_launch<search_steps<true, decltype(nest)>>(wave, job.point.block, setup.search, nest);
        });
    }
};

const Register<SsspNearFar, GraphRoom> sssp_near_far;

} // namespace nestbed::inline NESTBED_BACKEND
