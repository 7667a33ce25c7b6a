// bfs_frontier, sssp_frontier: a search level by level by the host, with a thread per vertex of the level.
// What a thread does with an edge is in src/workloads/bfs/graph_step.hpp.
//
//     host: launch a thread for each vertex of the list
//     thread: follow all edges of the vertex; append what is reached first (sssp: by a shorter path) to the next list
//     repeat: read how many vertices the next list has, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: Harish, Narayanan, HiPC 2007; with lists, Merrill, Garland, Grimshaw, PPoPP 2012.
#include "workloads/bfs/graph_steps.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A level with a thread per vertex of the list, which follows all edges of the vertex.
template <bool Weighted>
__global__ void frontier_step(GraphSearch search, unsigned list, unsigned items, unsigned level,
                              ItemsAndBlocks before)
{
    const GraphTask& task = search.task;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned vertex = index < items ? search.lists[list][index].vertex : 0;
    const unsigned first = index < items ? task.starts[vertex] : 0;
    const unsigned end = index < items ? task.starts[vertex + 1] : 0;
    const unsigned distance = index < items ? load_relaxed(&task.distance[vertex]) : 0;
    for (unsigned edge = first; edge < end; ++edge) {
        const unsigned to = task.ends[edge];
        if (!reaches<Weighted>(search, to, longer_by(task, distance, edge), true))
            continue;
        if (!Weighted || atomicExch(&search.listed[to], level + 1) != level + 1)
            search.lists[1 - list][atomicAdd(&search.state->found, ItemsAndBlocks{1}) - before].vertex = to;
    }
    const unsigned looked = end - first;
    add_of_warp(&task.totals->work, looked);
}

// Waits for each level, and reads how many vertices the next one has.
template <bool Weighted>
void run_frontiers(const GraphJob& job, const GraphSearchSetup& setup)
{
    GraphSearchState state{};
    ItemsAndBlocks before = 0; // vertices listed so far
    unsigned items = 1;
    for (unsigned level = 0; items != 0; ++level) {
        host_launch<frontier_step<Weighted>>(job.context, 0, {(items - 1) / job.point.block + 1, job.point.block},
                                             setup.search, level % 2, items, level, before);
        job.context.read(std::span(&state, 1), setup.state, 0);
        items = static_cast<unsigned>(state.found - before);
        before = state.found;
    }
}

struct BfsFrontier {
    static constexpr StrategyInfo info{
        .name = "bfs_frontier",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: levels by the host, a thread per vertex of the level",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Harish, Narayanan, HiPC 2007",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up_search(job, {}, 1); }
    static void run(const GraphJob& job, const GraphSearchSetup& setup) { run_frontiers<false>(job, setup); }
};

struct SsspFrontier {
    static constexpr StrategyInfo info{
        .name = "sssp_frontier",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: levels by the host, a thread per vertex of the level",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Harish, Narayanan, HiPC 2007",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up_search(job, {}, 1); }
    static void run(const GraphJob& job, const GraphSearchSetup& setup) { run_frontiers<true>(job, setup); }
};

const Register<BfsFrontier, GraphTraits> bfs_frontier;
const Register<SsspFrontier, GraphTraits> sssp_frontier;

} // namespace nestbed::inline NESTBED_BACKEND
