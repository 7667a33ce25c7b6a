// mst_edges: a minimum spanning forest over a list of edges, step by step by the host.
//
//     host: launch a grid for the step (src/workloads/mst/mst_step.hpp)
//     repeat: read how many blocks the next step needs, until there is none
//
// Launches: none from the device; one per step from the host, which waits for each step to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete. Components are joined by compare-and-swap at the roots of
// their trees.
// Source: Boruvka, 1926; a list of edges, light ones first: Fallin, Gonzalez, Seo, Burtscher, SC 2023.
#include "workloads/mst/mst_search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A step for the host. The last block plans the next one.
__global__ void LAUNCH_BOUNDS(1024) mst_host_step(MstSearch search)
{
    BLOCK_SHARED(MstShared, shared, 1);
    const MstPlan now = search.state->plan;
    run_step(search, now, blockIdx.x, gridDim.x, shared[0]);
    if (is_last_block(search, gridDim.x, shared[0]) && threadIdx.x == 0)
        plan_step(search, now, blockDim.x);
}

struct MstEdges {
    static constexpr StrategyInfo info{
        .name = "mst_edges",
        .workload = &workloads::mst,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: steps over a list of edges by the host, light edges first",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Fallin, Gonzalez, Seo, Burtscher, SC 2023",
        .waits = true,
    };
    static constexpr MstForm form = MstForm::flat;

    static MstSetup prepare(const MstJob& job)
    {
        return set_up_search(job, job.context.resident_blocks<mst_host_step>(job.point.block));
    }

    // Waits for each step.
    static void run(const MstJob& job, const MstSetup& setup)
    {
        MstState state{};
        for (unsigned blocks = setup.first_blocks; blocks != 0; blocks = state.plan.blocks) {
            host_launch<mst_host_step>(job.context, 0, {blocks, job.point.block}, setup.search);
            job.context.read(std::span(&state, 1), setup.state, 0);
        }
    }
};

const Register<MstEdges, MstRoom> mst_edges;

} // namespace nestbed::inline NESTBED_BACKEND
