// bfs_graph_sync: breadth-first search, the distance of every vertex from the source in edges, by a graph of one node whose blocks
// wait for each other between levels. The graph runs again where it must: a device graph that launches itself (graph_tail), or the body
// of a WHILE node (graph_while). CUDA only.
//
//     before each run, untimed: the host sets the lists, the counters and the first plan, and makes a graph of one node,
//         search_waiting(), with as many blocks as the device holds
//     host, timed: launch the graph once
//     node: repeat:
//         the blocks share the edges of a level, or, where that is less, the vertices that have no distance yet (they look
//             for a neighbour in the level), and make the list of the next level: GraphSteps<false>::run(), where `false` says
//             that edges have no weights
//         each block adds one to a counter. The last one plans the next level: plan_next()
//             there is none: all blocks end
//             it needs one block: the last block does it, and the others end; as long as levels are small (at most 2048
//                 vertices and 8192 edges), it does them in one step, without a plan between
//             it needs more, and all blocks are there: all go on with it, also those for which it has no work
//             it needs more, and only one block is left: this one lets the graph run again and ends
//         the others read `epoch` until the last block has changed it, which says whether they go on or end
//
// Launches: graph_while: none. graph_tail: one, of the graph by itself, for every level that needs more than one block and follows
// one that does not; by the oracle. The host makes the first launch.
// Hazards: the blocks wait for each other, so all must be resident: there are no more than the device holds. They are, unless
// another grid beside them never ends. The counter has acquire-release order: the last block sees what all blocks wrote in the
// level. It writes the plan, and then `epoch` with release order; the others read `epoch` with acquire order, and then the plan.
// The graph runs again only when its current run is complete, so the next run has all blocks, and sees all that this one wrote.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes"; Beamer,
// Asanovic, Patterson, SC 2012.
#include "workloads/bfs/graph_steps.hpp"

#include <algorithm>

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// Blocks wait until `epoch` changes: by 1 if all go on, and by 1 + kOthersEnd if only the last block goes on, or none.
inline constexpr unsigned kOthersEnd = 1U << 31;

// By one thread of the last block, after the plan of the next level: how many of the `blocks` blocks go on with it. If one block
// is left, and one is not enough, lets the graph run again (graph_tail: cudaGraphLaunch() of the current graph). If `depth`
// allows no further run of the graph, or the launch is refused, the block does the whole level of the search itself, as slow as
// that is. `grids`: how often the graph was asked to run again, also if that was refused: the level of nesting of this run.
template <class Nest>
__device__ unsigned blocks_for_next(const GraphSearch& search, const Nest& nest, unsigned blocks)
{
    GraphSearchState& state = *search.state;
    const GraphSearchPlan& next = state.plan;
    if (next.mode == StepMode::done) {
        end_graph(nest);
        return 0;
    }
    if (next.blocks == 1)
        return 1;
    if (blocks > 1)
        return blocks;
    const Nest here = nest.at(state.grids);
    if (here.last_level())
        return 1;
    count_request(search, gridDim.x); // ++grids
    if (run_graph_again(here))
        return 0;
    atomicAdd(&search.task.totals->replaced, 1U);
    return 1;
}

// The node of the graph. In a run, `blocks` is the number of blocks that share the level: all, or one.
template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) search_waiting(const __grid_constant__ GraphSearch search, Nest nest)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    GraphSearchState& state = *search.state;
    const unsigned long long now_ns = nest.now(); // for a trace: when the block began, before it loads `grids`
    const auto scope = nest.at(state.grids).enter(now_ns);
    // Nobody changes these before all blocks have arrived. In a run that begins with a small level, block 0
    // does it, all arrive, and the last of them goes on.
    unsigned epoch = state.epoch;
    unsigned blocks = state.plan.blocks == 1 ? 1 : gridDim.x;
    unsigned arrivals = gridDim.x;
    unsigned block = blockIdx.x;
    for (;;) {
        const GraphSearchPlan now = state.plan;
        if (block < blocks) {
            const unsigned level = GraphSteps<false>::run(search, now, block, blocks, shared[0]);
            if (now.mode == StepMode::small && threadIdx.x == 0)
                state.reached = level;
        }
        // A barrier; thread 0 adds one to a counter, in acquire-release order at the scope of the device (atom.add.acq_rel.gpu); a
        // barrier. What all threads of all blocks wrote in the level is before their block's addition, so the last block
        // sees it. It then sets the counter to 0, before `epoch` lets the others go on. One block alone is the last without any
        // of this: run() ends with a barrier after the block's last writes.
        const bool last = arrivals == 1 || block_arrives_last(&state.arrived, arrivals);
        if (!last &&
            block >= blocks) // the first level needs one block: no other one need wait (block 0 ends by kOthersEnd)
            return;
        if (threadIdx.x == 0) {
            unsigned stay = 0;
            if (last) { // plan_next() reads and resets how many vertices all blocks have found
                GraphSteps<false>::plan_next(search, now, now.mode == StepMode::small ? state.reached : now.level + 1,
                                             blockDim.x);
                stay = blocks_for_next(search, nest, blocks);
                if (arrivals > 1)
                    store_release(&state.epoch, epoch + 1 + (stay > 1 ? 0 : kOthersEnd));
            } else {
                unsigned word = epoch;
                while (word == epoch)
                    word = load_acquire(&state.epoch);
                stay = word - epoch == 1 ? blocks : 0;
            }
            shared[0].staying = stay;
        }
        __syncthreads();
        const unsigned stay = shared[0].staying;
        if (stay == 0)
            return;
        block = stay == 1 ? 0 : block; // the last one goes on alone
        blocks = stay;
        arrivals = stay;
        ++epoch;
    }
}
#endif

struct BfsGraphSync {
    static constexpr StrategyInfo info{
        .name = "bfs_graph_sync",
        .workload = &workloads::bfs,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph for levels that grow; its blocks wait for the others",
        .hazards = "none: all blocks are resident, unless a grid beside them never ends",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::waiting;
    static constexpr bool backwards = true; // it also needs the edges that lead to a vertex

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static StepGraph<GraphSearchSetup> prepare(const GraphJob& job)
    {
        return step_graph(
            job, [](auto nest) { return search_waiting<decltype(nest)>; },
            [&](std::uint32_t blocks) {
                return set_up_search(job, {.small = true, .first_small = true, .directions = true}, blocks);
            });
    }

    static void run(const GraphJob& job, const StepGraph<GraphSearchSetup>& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<BfsGraphSync, GraphTraits> bfs_graph_sync;

} // namespace nestbed::inline NESTBED_BACKEND
