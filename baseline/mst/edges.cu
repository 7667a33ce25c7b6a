// mst_edges: a minimum spanning forest over a list of edges, step by step by the host.
// A step is in src/workloads/mst/mst_steps.hpp, the order of steps in mst_search.hpp and src/device/parts/search_steps.hpp.
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
    SearchBlock<MstSteps>{search, shared[0]}.run_step();
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
    static void run(const MstJob& job, const MstSetup& setup) { run_host_steps<mst_host_step>(job, setup); }
};

const Register<MstEdges, MstTraits> mst_edges;

} // namespace nestbed::inline NESTBED_BACKEND
