// Searches in which vertices launch children for their edges: round by round, with a thread per vertex, and recursively.
#pragma once

#include "device/workloads/graph.hpp"

#include <span>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

// One round: all vertices that changed in the round before offer their edges.
struct GraphRound {
    GraphTask task;
    unsigned round;
    unsigned* last;    // the last round in which a vertex changed, plus 1
    unsigned* before;  // sssp: distances at the begin of the round
    unsigned* changed; // sssp: 1 for vertices that changed in the round before
};

template <bool Weighted>
struct ExpandGraph {
    struct Item {
        unsigned first, count, distance; // of its edges
    };
    using Job = GraphRound;
    static constexpr bool kRecursive = false;
    static constexpr unsigned kMostThreads = 1024;
    static constexpr unsigned kBlocksAMultiprocessor = 1;

    static unsigned most_offers(const Case& point) { return point.block; }
    __device__ static unsigned threads(const Job& /*job*/, const Item& item) { return item.count; }

    __device__ static bool root(const Job& job, unsigned block, Item& next)
    {
        const GraphTask& task = job.task;
        const unsigned vertex = block * blockDim.x + threadIdx.x;
        bool active = false;
        if (vertex < task.vertices) {
            if constexpr (Weighted) {
                active = job.changed[vertex] != 0;
                next.distance = job.before[vertex];
            } else { // children of this round set others to round + 1
                active = load_relaxed(&task.distance[vertex]) == job.round;
                next.distance = job.round;
            }
            next.first = task.starts[vertex];
            next.count = active ? task.starts[vertex + 1] - next.first : 0;
        }
        add_of_warp(&task.totals->work, next.count);
        return next.count != 0;
    }

    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& /*next*/)
    {
        for (unsigned index = block * blockDim.x + threadIdx.x; index < item.count; index += blocks * blockDim.x)
            follow(job, item, item.first + index);
        return false;
    }

    __device__ static void alone(const Job& job, const Item& item)
    {
        for (unsigned index = 0; index < item.count; ++index)
            follow(job, item, item.first + index);
    }

  private:
    __device__ static void follow(const Job& job, const Item& item, unsigned edge)
    {
        unsigned* const to = &job.task.distance[job.task.ends[edge]];
        const unsigned distance = longer_by(job.task, item.distance, edge);
        if (load_relaxed(to) > distance && atomicMin(to, distance) > distance)
            store_relaxed(job.last, job.round + 1);
    }
};

// Before a round: which vertices changed since the last time.
template <class Round>
__global__ void find_changed(Round of)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < of.task.vertices; vertex += stride) {
        const unsigned distance = of.task.distance[vertex];
        of.changed[vertex] = distance < of.before[vertex] ? 1 : 0;
        of.before[vertex] = distance;
    }
}

// The lists of what was refused to root grids are used again in every round.
template <class Head>
__global__ void clear_heads(Head* heads, unsigned count)
{
    for (unsigned head = threadIdx.x; head < count; head += blockDim.x)
        heads[head] = 0;
}

template <bool Weighted>
struct RoundSetup {
    OfferSetup<ExpandGraph<Weighted>> offers;
    Buffer<unsigned> last, before, changed;
};

template <bool Weighted>
RoundSetup<Weighted> set_up_rounds(const GraphJob& job)
{
    const auto make = [&](std::size_t count, unsigned char byte, std::string_view name) {
        Buffer<unsigned> buffer = job.context.template allocate<unsigned>(std::max<std::size_t>(1, count), name);
        job.context.fill_bytes(buffer, byte, count);
        return buffer;
    };
    auto last = make(1, 0, "last");
    auto before = make(Weighted ? job.task.vertices : 0, 0xFF, "before");
    auto changed = make(Weighted ? job.task.vertices : 0, 0, "changed");
    const GraphRound round{job.task, 0, last.data(), before.data(), changed.data()};
    return {set_up_offers<ExpandGraph<Weighted>>(job, round), std::move(last), std::move(before), std::move(changed)};
}

#ifndef NESTBED_FLAT
// One root grid per round, in one stream, so that a round sees all of the round before. Waits for each round.
template <class S, bool Weighted>
void run_rounds(const GraphJob& job, const RoundSetup<Weighted>& setup)
{
    LaunchPlan plan = job.plan;
    plan.streams = 1;
    const PreparedRun run{.context = job.context,
                          .point = job.point,
                          .plan = plan,
                          .form = job.form,
                          .mechanism = job.mechanism,
                          .pending_limit = job.pending_limit,
                          .ledger = job.ledger,
                          .done = job.done,
                          .draws = job.draws,
                          .tracer = job.tracer,
                          .timing = job.timing,
                          .marked = job.marked,
                          .aloud = job.aloud};
    auto round = setup.offers.run;
    const std::uint32_t threads = job.point.block;
    for (;; ++round.job.round) {
        if constexpr (Weighted)
            host_launch<find_changed<GraphRound>>(job.context, 0, {job.roots, threads}, round.job);
        if (round.spill && round.job.round != 0)
            host_launch<clear_heads<unsigned>>(job.context, 0, {1, threads}, round.memory.heads, job.roots + 1);
        launch_waves<S>(run, [&](auto wave, auto nest) {
            if constexpr (requires { nest.grid; })
                if (round.job.round != 0)
                    nest.grid = kNoGrid; // a trace has the root grids of the first round
            host_launch<offer_grid<ExpandGraph<Weighted>, true, decltype(nest)>>(
                wave, threads, round, root_grid(round, wave, threads), nest);
        });
        unsigned last = 0;
        job.context.read(std::span(&last, 1), setup.last, 0);
        if (last != round.job.round + 1)
            return;
    }
}
#endif

} // namespace nestbed::inline NESTBED_BACKEND
