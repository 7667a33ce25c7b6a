// mst_graph: the search of mst_tail by a graph of one node that runs again: a device graph that launches itself (graph_tail),
// or the body of a WHILE node (graph_while). CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share a step; the last one to finish does the small steps after it, and lets the graph run again for the
//         next large one
//
// Launches: graph_while: none. graph_tail: as mst_tail. The host makes the first launch.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes"; Fallin,
// Gonzalez, Seo, Burtscher, SC 2023.
#include "workloads/mst/mst_search.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// A run of the graph: one step. Its last block plans the next one. It runs that itself if one block is enough, or if the
// launch is refused; otherwise it lets the graph run again.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) mst_graph_step(const __grid_constant__ MstSearch search, Nest nest)
{
    BLOCK_SHARED(MstShared, shared, 1);
    const unsigned long long now_ns = nest.now();
    Nest here = nest.at(search.state->grids);
    const auto scope = here.enter(now_ns);
    unsigned block = blockIdx.x;
    unsigned blocks = gridDim.x; // 1 in a small step
    for (;;) {
        const MstPlan now = search.state->plan;
        run_step(search, now, block, blocks, shared[0]);
        if (!is_last_block(search, blocks, shared[0]))
            return;
        if (threadIdx.x == 0) {
            plan_step(search, now, blockDim.x);
            const unsigned next = search.state->plan.blocks;
            bool continues = next != 0;
            if (next > 1 && !here.last_level()) {
                ++search.state->grids;
                continues = !run_graph_again(here);
                if (continues) { // instead of the refused run, at its depth
                    atomicAdd(&search.totals->replaced, 1U);
                    ++here.depth;
                }
            } else if (!continues) {
                end_graph(here);
            }
            shared[0].continues = continues ? 1 : 0;
        }
        __syncthreads();
        if (shared[0].continues == 0)
            return;
        block = 0;
        blocks = 1;
    }
}
#endif

struct MstGraphRuns {
    static constexpr std::array kMechanisms{Mechanism::graph_tail, Mechanism::graph_while};
    static constexpr StrategyInfo info{
        .name = "mst_graph",
        .workload = &workloads::mst,
        .mechanisms = kMechanisms,
        .summary = "over a list of edges, light ones first; a graph of one large step that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr MstForm form = MstForm::steps;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static CapturedMst prepare(const MstJob& job)
    {
        const std::uint32_t blocks = resident_blocks(job, [](auto nest) { return mst_graph_step<decltype(nest)>; });
        MstSetup setup = set_up_search(job, blocks);
        Graph graph = capture_levels(job, job.point.depth.value_or(UINT32_MAX), [&](cudaStream_t stream, auto nest) {
            mst_graph_step<<<blocks, job.point.block, 0, stream>>>(setup.search, nest);
        });
        return {std::move(setup), std::move(graph)};
    }

    static void run(const MstJob& job, const CapturedMst& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<MstGraphRuns, MstRoom> mst_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
