// mst_cooperative: a minimum spanning forest in one grid, whose blocks wait for each other between the steps. CUDA only.
// A step is in src/workloads/mst/mst_steps.hpp, the order of steps in mst_search.hpp and src/device/parts/search_steps.hpp.
//
//     repeat: the blocks share a step over a list of edges, light ones first (src/workloads/mst/mst_step.hpp)
//         the last block to finish does the small steps after it, plans the next large one, and lets the others go on
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none. All blocks are resident, and wait for the last one with acquire order. Components are joined by
// compare-and-swap at the roots of their trees.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups"; Fallin, Gonzalez, Seo, Burtscher, SC 2023.
#include "workloads/mst/mst_search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
__global__ void LAUNCH_BOUNDS(1024) mst_together(MstSearch search)
{
    BLOCK_SHARED(MstShared, shared, 1);
    SearchBlock<MstSteps>{search, shared[0]}.run_together();
}
#endif

struct MstCooperative {
    static constexpr StrategyInfo info{
        .name = "mst_cooperative",
        .workload = &workloads::mst,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid for all steps over a list of edges, light edges first",
        .hazards = "none: all blocks are resident and wait for the last one",
        .source = "Fallin, Gonzalez, Seo, Burtscher, SC 2023",
        .cuda_only = true,
    };
    static constexpr MstForm form = MstForm::flat;

#ifdef __CUDACC__
    static MstSetup prepare(const MstJob& job)
    {
        return set_up_search(job, job.context.resident_blocks<mst_together>(job.point.block));
    }

    static void run(const MstJob& job, const MstSetup& setup)
    {
        cooperative_launch<mst_together>(job.context, {setup.search.max_blocks, job.point.block}, setup.search);
    }
#endif
};

const Register<MstCooperative, MstTraits> mst_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
