// bfs_cooperative: breadth-first search, top-down or bottom-up, in one grid, whose blocks wait for each other between the steps. CUDA only.
//
//     repeat: the blocks share a level, as in bfs_direction
//         the last block to finish does the small steps after it, plans the next large one, and lets the others go on
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none. All blocks are resident, and wait for the last one with acquire order.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups"; Beamer, Asanovic, Patterson, SC 2012.
#include "workloads/bfs/graph_host.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

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
        return set_up_search(job, {.small = true, .directions = true}, blocks_at_once<search_together<false>>(job));
    }

    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        cooperative_launch<search_together<false>>(job.context, {setup.search.most_blocks, job.point.block},
                                                   setup.search);
    }
#endif
};

const Register<BfsCooperative, GraphRoom> bfs_cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
