// quadtree_graph: the divisions of quadtree_children by a device graph that launches itself again. CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the items of the level and collect the next ones; the last block to finish launches the graph
//         again if there are any
//
// Launches: one per level below the root. The host makes the first launch.
// Hazards: none. A graph that launches itself runs again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch".
#include "workloads/quadtree/quadtree.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using QuadGrid = ChildGrid<ExpandQuadtree::Item>;

// The levels with even and with odd numbers.
struct QuadGraphState {
    QuadGrid grid[2];
    unsigned level;
    unsigned arrived;
};

#ifdef __CUDACC__
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads, 1) // 64 registers
    quadtree_graph(const __grid_constant__ RequestRun<ExpandQuadtree> run, QuadGraphState* state, Nest nest)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    const unsigned long long now = nest.now();
    const unsigned level = state->level;
    const Nest here = nest.at(level);
    const auto scope = here.enter(now);
    const QuadGrid grid = state->grid[level % 2];
    QuadGrid* next = &state->grid[(level + 1) % 2];
    for (unsigned block = blockIdx.x; block < grid.blocks; block += gridDim.x)
        run_block(run, grid, block, KeepSink<ExpandQuadtree::Item>{next}, words);
    __syncthreads();
    if (threadIdx.x == 0 && arrives_last(&state->arrived, gridDim.x)) {
        state->grid[level % 2].blocks = 0;
        state->level = level + 1;
        if (next->blocks != 0)
            launch_graph_again(here);
    }
}
#endif

struct QuadtreeGraph {
    static constexpr StrategyInfo info{
        .name = "quadtree_graph",
        .workload = &workloads::quadtree,
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph of one level of parts that launches itself again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
        .offers = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

#ifdef __CUDACC__
    struct Prepared {
        RequestSetup<ExpandQuadtree> setup;
        Buffer<QuadGraphState> state;
        Graph graph;
    };

    static Prepared prepare(const QuadJob& job)
    {
        RequestSetup<ExpandQuadtree> setup = set_up_requests<ExpandQuadtree>(job, job.task);
        auto state = job.context.allocate<QuadGraphState>(1);
        QuadGraphState start{};
        start.grid[0] = root_grid(setup.run, {.blocks = job.roots}, job.point.block);
        job.context.upload(state, std::span<const QuadGraphState>(&start, 1));
        Graph graph = job.context.capture(true, [&] {
            with_nest<Mechanism::graph_tail>(job, 0, [&](auto nest) {
                const std::uint32_t blocks =
                    job.context.resident_blocks<quadtree_graph<decltype(nest)>>(job.point.block);
                host_launch<quadtree_graph<decltype(nest)>>(job.context, 0, {blocks, job.point.block}, setup.run,
                                                            state.data(), nest);
            });
        });
        return {std::move(setup), std::move(state), std::move(graph)};
    }

    static void run(const QuadJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<QuadtreeGraph, QuadtreeRoom> quadtree_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
