// Searches in which vertices launch children for their edges, round by round: with a thread per vertex of the graph, or per
// vertex of a queue of those that changed.
#pragma once

#include "workloads/bfs/graph.hpp"

#include <span>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

// A round: all vertices that changed in the round before offer their edges. It says
//     vertex_at(index)                             the vertex of a thread of the root grid; kUnreached: none
//     is_active<Weighted>(index, vertex, distance)  whether it changed, and its distance at the begin of the round
//     fell<Weighted>(vertex)                       called when the distance of a vertex has fallen
struct GraphRound {
    static constexpr bool kByOrder = false;

    GraphTask task;
    unsigned round;
    unsigned* last;    // the last round in which a vertex changed, plus 1
    unsigned* before;  // sssp: distances at the begin of the round
    unsigned* changed; // sssp: 1 for vertices that changed in the round before

    __device__ unsigned vertex_at(unsigned index) const { return index; }
    template <bool Weighted>
    __device__ bool is_active(unsigned /*index*/, unsigned vertex, unsigned& distance) const
    {
        if constexpr (Weighted) {
            distance = before[vertex];
            return changed[vertex] != 0;
        } else { // children of this round set others to round + 1
            distance = round;
            return load_relaxed(&task.distance[vertex]) == round;
        }
    }
    template <bool Weighted>
    __device__ void fell(unsigned /*vertex*/) const
    {
        store_relaxed(last, round + 1);
    }
};

// The same with a queue. Only vertices with edges are in it, each once.
struct QueueRound {
    static constexpr bool kByOrder = true; // warps and blocks have vertices that stand next to each other

    GraphTask task;
    unsigned round;
    unsigned count;      // vertices of the round
    unsigned appended;   // vertices of this and all earlier rounds
    const unsigned* now; // the vertices of the round
    unsigned* next;      // those of the next one
    unsigned* end;       // counts the vertices of all rounds
    unsigned* before;    // sssp: the distances of `now` at the begin of the round
    unsigned* listed;    // sssp: by vertex, the last round for which it was appended

    __device__ unsigned vertex_at(unsigned index) const { return index < count ? now[index] : kUnreached; }
    template <bool Weighted>
    __device__ bool is_active(unsigned index, unsigned /*vertex*/, unsigned& distance) const
    {
        distance = Weighted ? before[index] : round;
        return true;
    }
    template <bool Weighted>
    __device__ void fell(unsigned vertex) const
    {
        if (task.starts[vertex + 1] == task.starts[vertex])
            return;
        if constexpr (Weighted) // a distance may fall several times in a round
            if (atomicExch(&listed[vertex], round + 1) == round + 1)
                return;
        next[atomicAdd(end, 1U) - appended] = vertex;
    }
};

template <bool Weighted, class Round>
struct ExpandGraph {
    struct Item {
        unsigned first, count, distance; // of its edges
    };
    using Job = Round;
    static constexpr bool kRecursive = false;
    static constexpr bool kCountsGrids = Round::kByOrder;
    static constexpr unsigned kMostThreads = 1024;
    static constexpr unsigned kBlocksAMultiprocessor = 1;

    static unsigned most_offers(const Case& point) { return point.block; }
    __device__ static unsigned threads(const Job& /*job*/, const Item& item) { return item.count; }

    __device__ static bool root(const Job& job, unsigned block, Item& next)
    {
        const GraphTask& task = job.task;
        const unsigned index = block * blockDim.x + threadIdx.x;
        const unsigned vertex = job.vertex_at(index);
        if (vertex < task.vertices) {
            const bool active = job.template is_active<Weighted>(index, vertex, next.distance);
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
        const unsigned vertex = job.task.ends[edge];
        unsigned* const to = &job.task.distance[vertex];
        const unsigned distance = longer_by(job.task, item.distance, edge);
        if (load_relaxed(to) > distance && atomicMin(to, distance) > distance)
            job.template fell<Weighted>(vertex);
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

// Before a round with a queue: the distances of its vertices.
template <class Round>
__global__ void note_distances(Round of)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < of.count)
        of.before[index] = of.task.distance[of.now[index]];
}

// The lists of what was refused to root grids are used again in every round.
template <class Head>
__global__ void clear_heads(Head* heads, unsigned count)
{
    for (unsigned head = threadIdx.x; head < count; head += blockDim.x)
        heads[head] = 0;
}

// Device memory of a search, filled with a byte.
inline Buffer<unsigned> filled_buffer(const GraphJob& job, std::size_t count, unsigned char byte,
                                      std::string_view name)
{
    Buffer<unsigned> buffer = job.context.allocate<unsigned>(std::max<std::size_t>(1, count), name);
    job.context.fill_bytes(buffer, byte, count);
    return buffer;
}

template <bool Weighted>
struct RoundSetup {
    OfferSetup<ExpandGraph<Weighted, GraphRound>> offers;
    Buffer<unsigned> last, before, changed;
};

template <bool Weighted>
RoundSetup<Weighted> set_up_rounds(const GraphJob& job)
{
    auto last = filled_buffer(job, 1, 0, "last");
    auto before = filled_buffer(job, Weighted ? job.task.vertices : 0, 0xFF, "before");
    auto changed = filled_buffer(job, Weighted ? job.task.vertices : 0, 0, "changed");
    const GraphRound round{job.task, 0, last.data(), before.data(), changed.data()};
    return {set_up_offers<ExpandGraph<Weighted, GraphRound>>(job, round), std::move(last), std::move(before),
            std::move(changed)};
}

template <bool Weighted>
struct QueueSetup {
    OfferSetup<ExpandGraph<Weighted, QueueRound>> offers;
    Buffer<unsigned> lists[2]; // of rounds with even and with odd numbers
    Buffer<unsigned> end, before, listed;
};

template <bool Weighted>
QueueSetup<Weighted> set_up_queue(const GraphJob& job)
{
    const std::size_t vertices = job.task.vertices;
    auto even = filled_buffer(job, vertices, 0, "even_rounds");
    auto odd = filled_buffer(job, vertices, 0, "odd_rounds");
    auto end = filled_buffer(job, 1, 0, "end");
    auto before = filled_buffer(job, Weighted ? vertices : 0, 0, "before");
    auto listed = filled_buffer(job, Weighted ? vertices : 0, 0, "listed");
    job.context.upload(even, std::span(&job.task.source, 1));
    const QueueRound round{.task = job.task,
                           .round = 0,
                           .count = 1,
                           .appended = 0,
                           .now = even.data(),
                           .next = odd.data(),
                           .end = end.data(),
                           .before = before.data(),
                           .listed = listed.data()};
    return {set_up_offers<ExpandGraph<Weighted, QueueRound>>(job, round),
            {std::move(even), std::move(odd)},
            std::move(end),
            std::move(before),
            std::move(listed)};
}

#ifndef NESTBED_FLAT
// Launches the root grid of a round, of `blocks` blocks, in one stream, so that a round sees all of the round before.
template <class S, class E>
void launch_round(const GraphJob& job, const OfferRun<E>& round, std::uint32_t blocks)
{
    const std::uint32_t threads = job.point.block;
    if (round.spill && round.job.round != 0)
        host_launch<clear_heads<unsigned>>(job.context, 0, {1, threads}, round.memory.heads, job.roots + 1);
    LaunchPlan plan = job.plan;
    plan.streams = 1;
    plan.roots = blocks;
    plan.wave = std::min(plan.wave, blocks);
    if (job.tracer != nullptr && round.job.round == 0)
        job.tracer->set_roots(plan.waves(), plan.wave); // the first round may have fewer blocks than the case's plan
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
    launch_waves<S>(run, [&](auto wave, auto nest) {
        if constexpr (requires { nest.grid; })
            if (round.job.round != 0)
                nest.grid = kNoGrid; // a trace has the root grids of the first round
        host_launch<offer_grid<E, true, decltype(nest)>>(wave, threads, round, root_grid(round, wave, threads), nest);
    });
}

// One root grid per round. Waits for each round.
template <class S, bool Weighted>
void run_rounds(const GraphJob& job, const RoundSetup<Weighted>& setup)
{
    auto round = setup.offers.run;
    for (;; ++round.job.round) {
        if constexpr (Weighted)
            host_launch<find_changed<GraphRound>>(job.context, 0, {job.roots, job.point.block}, round.job);
        launch_round<S>(job, round, job.roots);
        unsigned last = 0;
        job.context.read(std::span(&last, 1), setup.last, 0);
        if (last != round.job.round + 1)
            return;
    }
}

// The same with a thread per vertex of the queue.
template <class S, bool Weighted>
void run_queue_rounds(const GraphJob& job, const QueueSetup<Weighted>& setup)
{
    auto round = setup.offers.run;
    for (QueueRound& now = round.job; now.count != 0; ++now.round) {
        const std::uint32_t blocks = graph_roots(now.count, job.point.block);
        if constexpr (Weighted)
            host_launch<note_distances<QueueRound>>(job.context, 0, {blocks, job.point.block}, now);
        launch_round<S>(job, round, blocks);
        unsigned end = 0;
        job.context.read(std::span(&end, 1), setup.end, 0);
        now.count = end - now.appended;
        now.appended = end;
        now.now = setup.lists[(now.round + 1) % 2].data();
        now.next = setup.lists[now.round % 2].data();
    }
}
#endif

} // namespace nestbed::inline NESTBED_BACKEND
