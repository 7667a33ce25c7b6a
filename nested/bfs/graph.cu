// bfs_graph, sssp_graph: the searches of bfs_tail and sssp_near_far by a graph of one node that runs again: a device graph that
// launches itself (graph_tail), or the body of a WHILE node (graph_while). CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share a step; the last one to finish does the small steps after it, and lets the graph run again for
//         the next large one
//
// Launches: graph_while: none. graph_tail: bfs_graph: as bfs_tail; sssp_graph: one per step that is too large for one block, but the
// first, by the order of execution; the ledger must equal what the blocks requested. The host makes the first launch.
// Hazards: none. The graph, or the body, runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes";
// Davidson, Baxter, Garland, Owens, IPDPS 2014.
#include "workloads/bfs/graph_steps.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// A run of the graph: one step. Its last block plans the next one. It runs that itself if one block is enough, or if the launch is
// refused; otherwise it lets the graph run again.
template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024) search_graph_step(const __grid_constant__ GraphSearch search, Nest nest)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    const unsigned long long now_ns = nest.now();
    Nest here = nest.at(search.state->grids);
    const auto scope = here.enter(now_ns);
    unsigned block = blockIdx.x;
    unsigned blocks = gridDim.x; // 1 in a small step
    for (;;) {
        const GraphSearchPlan now = search.state->plan;
        const unsigned level = run_step<Weighted>(search, now, block, blocks, shared[0]);
        if (!is_last_block(search, blocks, shared[0]))
            return;
        if (threadIdx.x == 0) {
            plan_step<Weighted>(search, now, level, blockDim.x);
            const GraphSearchPlan& next = search.state->plan;
            bool continues = next.mode != StepMode::done;
            if (next.blocks > 1 && !here.last_level()) {
                count_request(search, next.blocks);
                continues = !run_graph_again(here);
                if (continues) { // instead of the refused run, at its depth
                    atomicAdd(&search.task.totals->replaced, 1U);
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

template <bool Weighted>
CapturedSearch capture_search(const GraphJob& job, const GraphSearchOptions& options)
{
    const std::uint32_t blocks =
        resident_blocks(job, [](auto nest) { return search_graph_step<Weighted, decltype(nest)>; });
    GraphSearchSetup setup = set_up_search(job, options, blocks);
    Graph graph = capture_levels(job, job.point.depth.value_or(UINT32_MAX), [&](cudaStream_t stream, auto nest) {
        search_graph_step<Weighted><<<blocks, job.point.block, 0, stream>>>(setup.search, nest);
    });
    return {std::move(setup), std::move(graph)};
}
#endif

struct BfsGraph {
    static constexpr std::array kMechanisms{Mechanism::graph_tail, Mechanism::graph_while};
    static constexpr StrategyInfo info{
        .name = "bfs_graph",
        .workload = &workloads::bfs,
        .mechanisms = kMechanisms,
        .summary = "a graph of one large level that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::graph;
    static constexpr bool backwards = true;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static CapturedSearch prepare(const GraphJob& job)
    {
        return capture_search<false>(job, {.small = true, .directions = true});
    }

    static void run(const GraphJob& job, const CapturedSearch& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

struct SsspGraph {
    static constexpr std::array kMechanisms{Mechanism::graph_tail, Mechanism::graph_while};
    static constexpr StrategyInfo info{
        .name = "sssp_graph",
        .workload = &workloads::sssp,
        .mechanisms = kMechanisms,
        .summary = "a graph of one large step of near-far that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {axis::delta},
        .cuda_only = true,
        .by_order = true,
    };
    static constexpr GraphForm form = GraphForm::by_order;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_order() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static CapturedSearch prepare(const GraphJob& job)
    {
        return capture_search<true>(job, {.small = true, .near_far = true});
    }

    static void run(const GraphJob& job, const CapturedSearch& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<BfsGraph, GraphRoom> bfs_graph;
const Register<SsspGraph, GraphRoom> sssp_graph;

} // namespace nestbed::inline NESTBED_BACKEND
