// A search for a spanning forest over a list of edges: its steps, and its buffers.
#pragma once

#include "device/parts/search_steps.hpp"
#include "workloads/mst/mst_steps.hpp"

#include <algorithm>
#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

// The steps of a search (device/parts/search_steps.hpp).
struct MstSteps {
    using Search = MstSearch;
    using Shared = MstShared;

    __device__ static unsigned run(const MstSearch& search, const MstPlan& now, unsigned block, unsigned blocks,
                                   MstShared& shared)
    {
        run_step(search, now, block, blocks, shared);
        __syncthreads();
        return 0; // the plan says all that the next one needs
    }

    // Which step is next, by one thread after all blocks of the step `now`.
    __device__ static void plan_next(const MstSearch& search, const MstPlan& now, unsigned /*result*/,
                                     unsigned threads)
    {
        MstState& state = *search.state;
        const MstTask& task = search.task;
        MstPlan next = now;
        next.step = step_after(now.step, state.found, task.vertices, task.edges, task.light != UINT32_MAX);
        if (now.step.phase == MstPhase::least)
            next.keys = 1 - now.keys;
        if (next.step.phase == MstPhase::hook)
            next.list = 1 - now.list;
        state.found = 0;
        const unsigned blocks = mst_blocks(next.step.items, threads);
        next.blocks = next.step.phase == MstPhase::done ? 0 : blocks < search.max_blocks ? blocks : search.max_blocks;
        state.plan = next;
    }
};

// The buffers of a search, and its start.
struct MstSetup {
    Buffer<MstState> state;
    Buffer<MstEdge> lists[2];
    Buffer<MstKey> best[2];
    Buffer<unsigned> flat;
    MstSearch search;
    std::uint32_t first_blocks; // of the first grid, which the host launches
};

inline MstSetup set_up_search(const MstJob& job, std::uint32_t max_blocks)
{
    const MstTask& task = job.task;
    const auto edges = [&](std::string_view name) { return filled_buffer<MstEdge>(job, task.edges, 0, name); };
    const auto keys = [&](std::string_view name) { return filled_buffer<MstKey>(job, task.vertices, 0xFF, name); };
    MstSetup setup{filled_buffer<MstState>(job, 1, 0, "search"),
                   {edges("even_list"), edges("odd_list")},
                   {keys("even_best"), keys("odd_best")},
                   filled_buffer(job, task.vertices, 0, "flat"),
                   {},
                   0};
    setup.search = {.task = task,
                    .state = setup.state.data(),
                    .lists = {setup.lists[0].data(), setup.lists[1].data()},
                    .best = {setup.best[0].data(), setup.best[1].data()},
                    .flat = setup.flat.data(),
                    .totals = job.totals,
                    .max_blocks = std::max(1U, max_blocks)};
    setup.first_blocks = std::min(setup.search.max_blocks, mst_blocks(task.edges, job.point.block));
    const MstState start{
        .plan = {.step = {MstPhase::light, task.edges, 0}, .blocks = setup.first_blocks, .list = 0, .keys = 0}};
    job.context.upload(setup.state, std::span<const MstState>(&start, 1));
    return setup;
}

} // namespace nestbed::inline NESTBED_BACKEND
