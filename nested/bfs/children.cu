// bfs_children, sssp_children: shortest paths round by round; a child for the edges of every vertex that changed in the last
// round. bfs: all edges have length 1, so that a round is a level of breadth-first search.
//
//     host, for each round:
//         sssp: copy the distances, and mark the vertices whose distance fell
//         root(vertices): one thread per vertex
//             if the vertex was reached in the last round (sssp: is marked): request a child for its edges
//         edges < threshold: the thread follows them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//     until no vertex changes
//
// graph_children() is the kernel of the root grid of every round and of its children. In all threads of each block, run_grid()
// calls ChangedVertices::root() or block(), and launches a child for the threads that return true.
//
// Launches: one per requested vertex and round, or one per group of vertices (`aggregate`): by the oracle, because they depend on
// the input: a round goes by the distances at its begin, in any order.
// Hazards: none. A round starts when the round before it is complete. Distances only fall, by an atomic minimum. Items of a
// launch are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: KLAP, MICRO 2016, benchmarks BFS and SSSP.
#include "device/parts/request_rounds.hpp"
#include "workloads/bfs/graph.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct GraphRound {
    GraphTask task;
    unsigned round;
    unsigned* last;    // the last round in which a vertex changed, plus 1
    unsigned* before;  // sssp: distances at the begin of the round
    unsigned* changed; // sssp: 1 for vertices that changed in the round before
};

// What the blocks of a round do.
template <bool Weighted>
struct ChangedVertices {
    struct Item {
        unsigned first, count, distance; // of its edges
    };
    using Job = GraphRound;
    static constexpr bool kRecursive = false; // children request nothing

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const GraphRound& /*job*/, const Item& item) { return item.count; }

    // One thread per vertex, which requests a child for the edges of a vertex that changed.
    __device__ static bool root(const GraphRound& job, unsigned block, Item& child)
    {
        const GraphTask& task = job.task;
        const unsigned vertex = block * blockDim.x + threadIdx.x;
        if (vertex < task.vertices) {
            bool active = false;
            if constexpr (Weighted) {
                child.distance = job.before[vertex];
                active = job.changed[vertex] != 0;
            } else { // children of this round set others to round + 1
                child.distance = job.round;
                active = load_relaxed(&task.distance[vertex]) == job.round;
            }
            child.first = task.starts[vertex];
            child.count = active ? task.starts[vertex + 1] - child.first : 0;
        }
        add_of_warp(&task.totals->work, child.count);
        return child.count != 0;
    }

    // Block `block` of the `blocks` for the edges of one vertex.
    __device__ static bool block(const GraphRound& job, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/)
    {
        for (unsigned index = block * blockDim.x + threadIdx.x; index < item.count; index += blocks * blockDim.x)
            follow(job, item, item.first + index);
        return false;
    }

    __device__ static void process_serially(const GraphRound& job, const Item& item)
    {
        for (unsigned index = 0; index < item.count; ++index)
            follow(job, item, item.first + index);
    }

  private:
    __device__ static void follow(const GraphRound& job, const Item& item, unsigned edge)
    {
        const unsigned vertex = job.task.ends[edge];
        unsigned* const to = &job.task.distance[vertex];
        const unsigned distance = longer_by(job.task, item.distance, edge);
        if (load_relaxed(to) > distance && atomicMin(to, distance) > distance)
            store_relaxed(job.last, job.round + 1);
    }
};

template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    graph_children(const __grid_constant__ RequestRun<ChangedVertices<Weighted>> run,
                   const __grid_constant__ ChildGrid<typename ChangedVertices<Weighted>::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<graph_children<Weighted, Nest>>(
        run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
            return launch<graph_children<Weighted, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
        });
}

// sssp, before a round: which vertices changed since the last time.
__global__ void find_changed(GraphRound of)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < of.task.vertices; vertex += stride) {
        const unsigned distance = of.task.distance[vertex];
        of.changed[vertex] = distance < of.before[vertex] ? 1 : 0;
        of.before[vertex] = distance;
    }
}

template <bool Weighted>
struct RoundSetup {
    RequestSetup<ChangedVertices<Weighted>> requests;
    Buffer<unsigned> last, before, changed;
};

template <bool Weighted>
RoundSetup<Weighted> set_up_rounds(const GraphJob& job)
{
    auto last = filled_buffer(job, 1, 0, "last");
    auto before = filled_buffer(job, Weighted ? job.task.vertices : 0, 0xFF, "before");
    auto changed = filled_buffer(job, Weighted ? job.task.vertices : 0, 0, "changed");
    const GraphRound round{job.task, 0, last.data(), before.data(), changed.data()};
    return {set_up_requests<ChangedVertices<Weighted>>(job, round), std::move(last), std::move(before),
            std::move(changed)};
}

// One root grid per round. Waits for each round.
template <class S, bool Weighted>
void run_rounds(const GraphJob& job, const RoundSetup<Weighted>& setup)
{
    auto round = setup.requests.run;
    const std::uint32_t threads = job.point.block;
    for (;; ++round.job.round) {
        if constexpr (Weighted)
            host_launch<find_changed>(job.context, 0, {job.roots, threads}, round.job);
        launch_round<S>(job, round, job.roots, [&](const auto& wave, auto nest) {
            host_launch<graph_children<Weighted, decltype(nest)>>(wave, threads, round,
                                                                  root_grid(round, wave, threads), nest);
        });
        unsigned last = 0;
        job.context.read(std::span(&last, 1), setup.last, 0);
        if (last != round.job.round + 1)
            return;
    }
}

struct BfsChildren {
    static constexpr StrategyInfo info{
        .name = "bfs_children",
        .workload = &workloads::bfs,
        .mechanisms = kChildrenByKernel,
        .summary = "round by round, a child for the edges of every vertex that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016, benchmark BFS",
        .requests = true,
        .per_vertex = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::children;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RoundSetup<false> prepare(const GraphJob& job) { return set_up_rounds<false>(job); }
    static void run(const GraphJob& job, const RoundSetup<false>& setup) { run_rounds<BfsChildren>(job, setup); }
};

struct SsspChildren {
    static constexpr StrategyInfo info{
        .name = "sssp_children",
        .workload = &workloads::sssp,
        .mechanisms = kChildrenByKernel,
        .summary = "round by round, a child for the edges of every vertex that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016, benchmark SSSP",
        .requests = true,
        .per_vertex = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::children;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RoundSetup<true> prepare(const GraphJob& job) { return set_up_rounds<true>(job); }
    static void run(const GraphJob& job, const RoundSetup<true>& setup) { run_rounds<SsspChildren>(job, setup); }
};

const Register<BfsChildren, GraphTraits> bfs_children;
const Register<SsspChildren, GraphTraits> sssp_children;

} // namespace nestbed::inline NESTBED_BACKEND
