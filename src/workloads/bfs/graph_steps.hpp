// The steps of a search: which one is next, and who starts it.
#pragma once

#include "device/parts/search_steps.hpp"
#include "workloads/bfs/graph_small.hpp"

#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

// The steps of a search (device/parts/search_steps.hpp).
template <bool Weighted>
struct GraphSteps {
    using Search = GraphSearch;
    using Shared = GraphShared;

    // Block `block` of `blocks` of the step. All threads call it. Returns the next level.
    __device__ static unsigned run(const GraphSearch& search, const GraphSearchPlan& now, unsigned block,
                                   unsigned blocks, GraphShared& shared)
    {
        if (now.mode == StepMode::small)
            return small_levels<Weighted>(search, now, shared);
        if (threadIdx.x == 0)
            shared.staged = 0;
        __syncthreads();
        if (now.mode == StepMode::top_down)
            top_down<Weighted>(search, now, block, blocks, shared);
        if constexpr (Weighted) {
            if (now.mode == StepMode::split)
                split_far(search, now, block, blocks, shared);
        } else {
            if (now.mode == StepMode::bottom_up)
                bottom_up(search, now, block, blocks, shared);
        }
        __syncthreads();
        if constexpr (Weighted) {
            if (search.has_rounds() && shared.staged <= kSmallVertices)
                return small_levels<true>(search, now, shared, true);
        }
        append_stage<Weighted>(search, now, shared, shared.staged);
        return now.level + 1;
    }

    // Which step is next, by one thread after all blocks of the step `now`.
    __device__ static void plan_next(const GraphSearch& search, const GraphSearchPlan& now, unsigned level,
                                     unsigned threads)
    {
        GraphSearchState& state = *search.state;
        GraphSearchPlan& next = state.plan;
        const ItemsAndBlocks found = state.found;
        state.found = 0;
        next.level = level;
        next.list = 1 - now.list;
        next.items = static_cast<unsigned>(found >> kItemsShift);
        next.edges = static_cast<unsigned>(found);
        next.unexplored = now.unexplored - next.edges;
        LevelStep step;
        if (next.items != 0) {
            step = search.has_rounds() && next.edges <= kEdgesPerThread * next.items
                       ? step_with_rounds(now.mode, next.items, next.edges, threads)
                       : step_of_level(now.mode, next.items, next.edges, next.unexplored, search.task.vertices,
                                       search.small, search.directions);
        } else if (!Weighted || state.far_count == 0) {
            next.mode = StepMode::done;
            next.blocks = 0;
            return;
        } else {
            // After a split that found nothing near, the next range begins at the least distance.
            const bool nothing_near = now.mode == StepMode::split && state.far_count == now.far_read;
            const unsigned from = nothing_near && state.far_least > now.bound ? state.far_least : now.bound;
            next.settled = now.bound;
            next.bound = from < kUnreached - search.delta ? from + search.delta : kUnreached;
            next.far = 1 - now.far;
            next.far_read = state.far_count;
            state.far_count = 0;
            state.far_least = kUnreached;
            step = {StepMode::split, threads_for(next.far_read)};
        }
        next.mode = step.mode;
        const unsigned blocks = blocks_of_step(step.threads, threads);
        next.blocks = blocks < search.max_blocks ? blocks : search.max_blocks;
    }
};

// A step for the host.
template <bool Weighted>
__global__ void LAUNCH_BOUNDS(1024) search_step(GraphSearch search)
{
    BLOCK_SHARED(GraphShared, shared, 1);
    SearchBlock<GraphSteps<Weighted>>{search, shared[0]}.run_step();
}

// By the thread that launches the next step.
__device__ inline void count_request(const GraphSearch& search, unsigned blocks)
{
    ++search.state->grids;
    atomicAdd(&search.task.totals->items, 1ULL);
    atomicAdd(&search.task.totals->blocks, static_cast<unsigned long long>(blocks));
}

// The buffers of a search, and its start.
struct GraphSearchSetup {
    Buffer<GraphSearchState> state;
    Buffer<ListedVertex> lists[2];
    Buffer<unsigned> far[2];
    Buffer<unsigned> listed, is_far;
    GraphSearch search;
    std::uint32_t first_blocks = 1; // of the first grid, which the host launches
};

struct GraphSearchOptions {
    bool small = false;
    bool first_small = false; // the first grid has one block, if the first level is small
    bool directions = false;
    bool near_far = false;
};

inline GraphSearchSetup set_up_search(const GraphJob& job, const GraphSearchOptions& options,
                                      std::uint32_t max_blocks)
{
    GraphSearchSetup setup;
    Context& context = job.context;
    const GraphTask& task = job.task;
    const bool weighted = task.weights != nullptr;
    const auto make = [&]<class T>(Buffer<T>& buffer, std::size_t count, std::string_view name) {
        buffer = context.allocate<T>(count, name);
        context.fill_bytes(buffer, 0, count);
        job.bytes += count * sizeof(T);
        return buffer.data();
    };
    GraphSearch& search = setup.search;
    search = {.task = task,
              .max_blocks = std::max(1U, max_blocks),
              .delta = options.near_far ? job.point[BfsParameter::bucket_width] : 0,
              .small = options.small,
              .directions = options.directions};
    // Small levels keep some here; of shortest paths one for each edge that shortened a path.
    const std::size_t places = std::max<std::size_t>(task.vertices, weighted ? kSmallEdges : kStagedVertices);
    search.state = make(setup.state, 1, "search");
    for (unsigned list = 0; list < 2; ++list) {
        search.lists[list] = make(setup.lists[list], places, list == 0 ? "even_list" : "odd_list");
        if (options.near_far)
            search.far[list] = make(setup.far[list], task.vertices, list == 0 ? "even_far" : "odd_far");
    }
    if (weighted)
        search.listed = make(setup.listed, task.vertices, "listed");
    if (options.near_far)
        search.is_far = make(setup.is_far, task.vertices, "is_far");
    const ListedVertex source{task.source, 0};
    context.upload(setup.lists[0], std::span(&source, 1));
    const bool small = options.first_small && job.source_edges <= kSmallEdges;
    if (!small)
        setup.first_blocks =
            std::min(search.max_blocks, blocks_of_step(threads_for(job.source_edges), job.point.block));
    GraphSearchState start{};
    start.plan = {.mode = small ? StepMode::small : StepMode::top_down,
                  .items = 1,
                  .edges = job.source_edges,
                  .blocks = setup.first_blocks,
                  .unexplored = task.edges - job.source_edges,
                  .bound = options.near_far ? job.point[BfsParameter::bucket_width] : kUnreached};
    start.far_least = kUnreached;
    context.upload(setup.state, std::span<const GraphSearchState>(&start, 1));
    return setup;
}

} // namespace nestbed::inline NESTBED_BACKEND
