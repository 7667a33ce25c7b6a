// bfs_balanced, bfs_direction, sssp_balanced: a search step by step by the host; blocks share the edges of a step evenly.
// A step is in src/workloads/bfs/graph_steps.hpp and graph_levels.hpp, the order of steps in src/device/parts/search_steps.hpp.
//
//     host: launch a grid for the step
//     block: search the list for the vertex of its first edge; a search in shared memory finds those of the others
//     repeat: read how many blocks the next step needs, until there is none
//     bfs_direction by host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: launch a grid for every large step that the graph may need; the
//         last block of a step does the small ones after it
//     bfs_direction: a level with more than 1/14 of the unexplored edges is done from below: every vertex that was not reached
//         looks for a neighbour in the level, and stops at the first
//     sssp_balanced: with the steps of sssp_near_far (nested/bfs/tail.cu): near vertices first
//     bfs_direction, sssp_balanced: one block does levels that are small, one after another; the host waits for all of them at once
//
// Launches: none from the device; one per step from the host, which waits for each step to learn the size of the next; or one for
// every large step that the graph may need, or a graph of these.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: Merrill, Garland, Grimshaw, PPoPP 2012; load-balanced search, Baxter, moderngpu; Beamer, Asanovic, Patterson,
// "Direction-Optimizing Breadth-First Search", SC 2012; Davidson, Baxter, Garland, Owens, IPDPS 2014 (near-far).
#include "device/submitted_levels.hpp"
#include "workloads/bfs/graph_steps.hpp"

#include <functional>
#include <memory>

namespace nestbed::inline NESTBED_BACKEND
{

// One of the large steps that the host submits before it knows whether they are there. Its last block plans the next step, and runs
// it if one block is enough.
__global__ void LAUNCH_BOUNDS(1024) search_submitted_step(GraphSearch search)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    begin_level();
    if (search.state->plan.blocks != 0)
        SearchBlock<GraphSteps<false>>{search, shared[0]}.run_steps([](unsigned next) { return next == 1; });
}

template <bool Weighted>
GraphSearchSetup set_up_host_steps(const GraphJob& job, const GraphSearchOptions& options)
{
    return set_up_search(job, options, job.context.resident_blocks<search_step<Weighted>>(job.point.block));
}

struct BfsBalanced {
    static constexpr StrategyInfo info{
        .name = "bfs_balanced",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: levels by the host, whose blocks share the edges evenly",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Merrill, Garland, Grimshaw, PPoPP 2012",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job) { return set_up_host_steps<false>(job, {}); }
    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        run_host_steps<search_step<false>>(job, setup);
    }
};

struct BfsDirection {
    static constexpr StrategyInfo info{
        .name = "bfs_direction",
        .workload = &workloads::bfs,
        .mechanisms = kLevelsByHost,
        .summary = "flat: levels by the host, top-down or bottom-up",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Beamer, Asanovic, Patterson, SC 2012",
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

    static std::function<void()> prepare(const GraphJob& job)
    {
        if (has_bound(job.mechanism))
            return submit_steps(job);
        auto setup = std::make_shared<GraphSearchSetup>(
            set_up_host_steps<false>(job, {.small = true, .first_small = true, .directions = true}));
        return [&job, setup] { run_host_steps<search_step<false>>(job, *setup); };
    }

  private:
    static std::function<void()> submit_steps(const GraphJob& job)
    {
        auto setup = std::make_shared<GraphSearchSetup>(
            set_up_search(job, {.small = true, .directions = true},
                          job.context.resident_blocks<search_submitted_step>(job.point.block)));
        return submitted_levels(job, [&job, setup, steps = max_large_steps(job.task.vertices, job.task.edges)] {
            for (unsigned step = 0; step < steps; ++step)
                launch_level<search_submitted_step>(job, {setup->search.max_blocks, job.point.block}, setup->search);
        });
    }
};

struct SsspBalanced {
    static constexpr StrategyInfo info{
        .name = "sssp_balanced",
        .workload = &workloads::sssp,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: near-far steps by the host, whose blocks share the edges evenly",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Davidson, Baxter, Garland, Owens, IPDPS 2014",
        .axes = {BfsParameter::bucket_width},
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;

    static GraphSearchSetup prepare(const GraphJob& job)
    {
        return set_up_host_steps<true>(job, {.small = true, .first_small = true, .near_far = true});
    }
    static void run(const GraphJob& job, const GraphSearchSetup& setup)
    {
        run_host_steps<search_step<true>>(job, setup);
    }
};

const Register<BfsBalanced, GraphTraits> bfs_balanced;
const Register<BfsDirection, GraphTraits> bfs_direction;
const Register<SsspBalanced, GraphTraits> sssp_balanced;

} // namespace nestbed::inline NESTBED_BACKEND
