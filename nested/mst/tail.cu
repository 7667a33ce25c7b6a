// mst_tail: a minimum spanning forest over a list of edges, in which the last block of a step launches the next one.
// A step is in src/workloads/mst/mst_steps.hpp, the order of steps in mst_search.hpp and src/device/parts/search_steps.hpp.
//
//     root: list the light edges, and find the lightest edge of every vertex
//     step: join the components that these edges join; list the edges that still join two, and find the lightest of every
//         component (src/workloads/mst/mst_step.hpp); the heavy edges come when no light one is left
//         the last block: a next step that needs one block: do it here; otherwise: launch a grid for it; none: end
//
// Launches: one per step, but the first, that needs more than one block, by the oracle: the length of the list after each
// step is a function of the graph. The block does itself what is refused.
// Hazards: none. The last block arrives with acquire-release order, so it and its child see what all blocks wrote. Keys only
// fall, by an atomic minimum. Components are joined by compare-and-swap at the roots of their trees.
// Source: Boruvka, 1926; a list of edges, light ones first: Fallin, Gonzalez, Seo, Burtscher, SC 2023.
#include "workloads/mst/mst_search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A grid runs one step; each block does its share. The last block to finish plans the next step, and runs that itself if one block is
// enough, and so on. Otherwise it calls the function below, which launches a grid for the step; if that is refused, it runs it itself.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) mst_tail(const __grid_constant__ MstSearch search, Nest nest)
{
    BLOCK_SHARED(MstShared, shared, 1);
    const unsigned long long now_ns = nest.now();
    Nest here = nest;
    const auto scope = here.enter(now_ns);
    SearchBlock<MstSteps>{search, shared[0]}.run_or_launch(
        here, search.totals,
        [&](unsigned blocks) {
            return launch<mst_tail<Nest>>(here, {blocks, blockDim.x}, search);
        },
        [] {});
}

struct MstTail {
    static constexpr StrategyInfo info{
        .name = "mst_tail",
        .workload = &workloads::mst,
        .mechanisms =
            kOnly<Mechanism::tail, Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "over a list of edges, light ones first; the last block of a step launches the next",
        .hazards = "none: the last block arrives with acquire-release order",
        .source = "Boruvka, 1926; Fallin, Gonzalez, Seo, Burtscher, SC 2023",
    };
    static constexpr MstForm form = MstForm::steps;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static MstSetup prepare(const MstJob& job)
    {
        return set_up_search(job,
                             job.context.resident_blocks<mst_tail<NestBy<Mechanism::tail, false>>>(job.point.block));
    }

    static void run(const MstJob& job, const MstSetup& setup)
    {
        launch_waves<MstTail>(job, [&](auto wave, auto nest) {
            wave.blocks = setup.first_blocks;
            host_launch<mst_tail<decltype(nest)>>(wave, job.point.block, setup.search, nest);
        });
    }
};

const Register<MstTail, MstTraits> mst_tail_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
