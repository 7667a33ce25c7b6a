// bfs_cooperative, sssp_cooperative: a search in one grid, whose blocks wait for each other between the steps. CUDA only.
// A step is in src/workloads/bfs/graph_steps.hpp and graph_levels.hpp, the order of steps in src/device/parts/search_steps.hpp.
//
//     repeat: the blocks share a step, as in bfs_direction (top-down or bottom-up), or in sssp_balanced (near vertices first)
//         the last block to finish does the small steps after it, plans the next large one, and lets the others go on
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none. All blocks are resident, and wait for the last one with acquire order.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups"; Beamer, Asanovic, Patterson, SC 2012; Davidson,
// Baxter, Garland, Owens, IPDPS 2014.
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// All steps in one grid, all of whose blocks are resident. The last block of a step runs small steps itself, and lets the others go
// on with the next step that needs them.
template <bool Weighted>
__global__ void LAUNCH_BOUNDS(1024) search_together(GraphSearch search)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    SearchBlock<GraphSteps<Weighted>>{search, shared[0]}.run_together();
}
#endif

struct BfsCooperative {
    static constexpr StrategyInfo info{
        .name = "bfs_cooperative",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid for all steps; small ones run in one block",
        .hazards = "none: all blocks are resident and wait for the last one",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

#ifdef __CUDACC__
    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_search(job, {.small = true, .directions = true},
                             job.context.resident_blocks<search_together<false>>(job.point.block));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        cooperative_launch<search_together<false>>(job.context, {setup.search.max_blocks, job.point.block},
                                                   setup.search);
    }
#endif
};

struct SsspCooperative {
    static constexpr StrategyInfo info{
        .name = "sssp_cooperative",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid for all steps; small ones run in one block",
        .hazards = "none: all blocks are resident and wait for the last one",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .axes = {BfsParameter::bucket_width},
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

#ifdef __CUDACC__
    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_search(job, {.small = true, .near_far = true},
                             job.context.resident_blocks<search_together<true>>(job.point.block));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        cooperative_launch<search_together<true>>(job.context, {setup.search.max_blocks, job.point.block},
                                                  setup.search);
    }
#endif
};

const Register<BfsCooperative, GraphTraits> bfs_cooperative;
const Register<SsspCooperative, GraphTraits> sssp_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
