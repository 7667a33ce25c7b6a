// bfs_graph_sync: breadth-first search by a device graph whose blocks wait for each other between levels. CUDA only.
//
//     once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share a level, and wait for the last one to finish, which plans the next level:
//         it needs far more blocks than are there: launch the graph again; all blocks end
//         it needs far fewer: the blocks that it does not need end
//         it needs one: the last block does it alone, and the small levels after it; the others end
//         otherwise: go on with it
//
// Launches: one for every level that needs more than four times the blocks that are left (src/model/graph_step.hpp); by the
// oracle, which knows how many blocks the device holds. The host makes the first launch.
// Hazards: the blocks wait for each other, so all must be resident. They are if no other grid runs for ever beside them. (A
// cooperative node would guarantee it, but the host's launch of such a graph takes 16 us longer on an H200.) The graph runs
// again only when its current run is complete.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch"; Beamer, Asanovic, Patterson, SC 2012.
#include "device/workloads/graph_steps.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// The word for which blocks wait: a number that changes with each step, and the blocks that go on (none: all end).
inline constexpr unsigned kStayBits = 16;

// Called by one thread, after the plan of the next step. Returns how many of the `blocks` blocks go on with it.
template <class Nest>
__device__ unsigned blocks_for_next(const GraphSearch& search, const Nest& nest, unsigned blocks)
{
    GraphSearchState& state = *search.state;
    const GraphSearchPlan& next = state.plan;
    if (next.mode == StepMode::done)
        return 0;
    const Nest here = nest.at(state.grids);
    if (needs_new_grid(blocks, next.blocks) && !here.last_level()) {
        ++state.grids;
        atomicAdd(&search.task.totals->items, 1ULL);
        atomicAdd(&search.task.totals->blocks, static_cast<unsigned long long>(gridDim.x));
        if (launch_graph_again(here))
            return 0;
        atomicAdd(&search.task.totals->replaced, 1U);
    }
    return blocks_kept(blocks, next.blocks);
}

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024) search_waiting(const __grid_constant__ GraphSearch search, Nest nest)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    GraphSearchState& state = *search.state;
    const unsigned long long now_ns = nest.now();
    const auto scope = nest.at(state.grids).enter(now_ns);
    unsigned word = state.epoch; // nobody changes it, nor the plan, before all blocks have arrived
    unsigned blocks = blocks_kept(gridDim.x, state.plan.blocks);
    unsigned arrivals = gridDim.x; // also of those that the first step does not need
    unsigned block = blockIdx.x;
    for (;;) {
        const GraphSearchPlan now = state.plan;
        if (block < blocks) {
            const unsigned level = run_step<false>(search, now, block, blocks, shared[0]);
            if (threadIdx.x == 0 && block == 0)
                state.reached = level;
        }
        const bool last = is_last_block(search, arrivals, shared[0]);
        if (threadIdx.x == 0) {
            unsigned stay = 0;
            if (last) {
                plan_step<false>(search, now, state.reached, blockDim.x);
                stay = blocks_for_next(search, nest, blocks);
                store_release(&state.epoch, ((word >> kStayBits) + 1) << kStayBits | (stay == 1 ? 0 : stay));
            }
            const unsigned before = word;
            while (word == before)
                word = load_acquire(&state.epoch);
            shared[0].alone = last && stay == 1 ? 1 : 0;
            shared[0].staying = last ? stay : word % (1U << kStayBits);
        }
        __syncthreads();
        const bool alone = shared[0].alone != 0;
        blocks = shared[0].staying;
        if (!alone && block >= blocks)
            return;
        arrivals = blocks;
        block = alone ? 0 : block;
    }
}
#endif

struct BfsGraphSync {
    static constexpr StrategyInfo info{
        .name = "bfs_graph_sync",
        .workload = "bfs",
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph for levels that grow; its blocks wait for the others",
        .hazards = "blocks wait for each other: beside a grid that never ends they hang",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };
    static constexpr GraphForm form = GraphForm::waiting;
    static constexpr bool backwards = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

#ifdef __CUDACC__
    static std::uint32_t resident_blocks(const Context& context, std::uint32_t block)
    {
        return std::min(context.resident_blocks<search_waiting<NestBy<Mechanism::graph_tail, false>>>(block),
                        context.resident_blocks<search_waiting<NestBy<Mechanism::graph_tail, true>>>(block));
    }

    static CapturedSearch prepare(const GraphJob& job)
    {
        const std::uint32_t blocks = resident_blocks(job.context, job.point.block);
        GraphSearchSetup setup = set_up_search(job, {.small = true, .first_small = true, .directions = true}, blocks);
        Graph graph = job.context.capture(true, [&] {
            with_nest<Mechanism::graph_tail>(job, 0, [&](auto nest) {
                host_launch<search_waiting<decltype(nest)>>(job.context, 0, {blocks, job.point.block}, setup.search,
                                                            nest);
            });
        });
        return {std::move(setup), std::move(graph)};
    }

    static void run(const GraphJob& job, const CapturedSearch& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const RegisterGraph<BfsGraphSync> bfs_graph_sync;

} // namespace nestbed::inline NESTBED_BACKEND
