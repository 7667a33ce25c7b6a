// sssp_cooperative: shortest paths, near vertices first, in one grid, whose blocks wait for each other between the steps. CUDA only.
//
//     repeat: the blocks share a step, as in sssp_balanced
//         the last block to finish does the small steps after it, plans the next large one, and lets the others go on
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none. All blocks are resident, and wait for the last one with acquire order.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups"; Davidson, Baxter, Garland, Owens, IPDPS 2014.
#include "workloads/bfs/graph_host.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SsspCooperative {
    static constexpr StrategyInfo info{
        .name = "sssp_cooperative",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid for all steps; small ones run in one block",
        .hazards = "none: all blocks are resident and wait for the last one",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .axes = {axis::delta},
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

#ifdef __CUDACC__
    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_search(job, {.small = true, .near_far = true}, blocks_at_once<search_together<true>>(job));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        cooperative_launch<search_together<true>>(job.context, {setup.search.most_blocks, job.point.block},
                                                  setup.search);
    }
#endif
};

const Register<SsspCooperative, GraphRoom> sssp_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
