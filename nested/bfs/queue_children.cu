// bfs_queue_children, sssp_queue_children: shortest paths round by round, as in bfs_children, but the round before has written a
// queue of the vertices that changed, and only these get a thread.
//
//     queue = the source
//     host, for each round, while the queue has vertices:
//         sssp: note the distances of the vertices in the queue
//         root(queue): one thread per vertex of the queue
//             request a child for the edges of the vertex
//         edges < threshold: the thread follows them; otherwise a child with ceil(edges / (block * coarsen)) blocks does
//             append each end that is reached by a shorter path, and has edges, to the queue of the next round, once
//
// graph_queue_children() is the kernel of the root grid of every round and of its children. In all threads of each block,
// run_grid() calls QueuedVertices::root() or block(), and launches a child for the threads that return true.
//
// Launches: one per requested vertex and round, or one per group of vertices (`aggregate`). The set of vertices of a round is a
// function of the graph, their order in the queue is not. So the oracle knows the launches of `none` and `grid`. Of a warp, a
// block or a group of blocks it knows the maximum; the ledger must equal what the blocks requested.
// Hazards: none. A round starts when the round before it is complete, and its queue with it. Distances only fall, by an atomic
// minimum. Items of a launch are written before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: KLAP, MICRO 2016, benchmarks BFS and SSSP; the queue as in Merrill, Garland, Grimshaw, "Scalable GPU Graph Traversal",
// PPoPP 2012.
#include "device/parts/request_rounds.hpp"
#include "workloads/bfs/graph.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A round. Only vertices with edges are in its queue, each once.
struct QueueRound {
    GraphTask task;
    unsigned round;
    unsigned count;      // vertices of the round
    unsigned appended;   // vertices of this and all earlier rounds
    const unsigned* now; // the vertices of the round
    unsigned* next;      // those of the next one
    unsigned* end;       // counts the vertices of all rounds
    unsigned* before;    // sssp: the distances of `now` at the begin of the round
    unsigned* listed;    // sssp: by vertex, the last round for which it was appended
};

// What the blocks of a round do.
template <bool Weighted>
struct QueuedVertices {
    struct Item {
        unsigned first, count, distance; // of its edges
    };
    using Job = QueueRound;
    static constexpr bool kRecursive = false;  // children request nothing
    static constexpr bool kCountsGrids = true; // warps and blocks have vertices that stand next to each other

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const QueueRound& /*job*/, const Item& item) { return item.count; }

    // One thread per vertex of the queue, which requests a child for its edges.
    __device__ static bool root(const QueueRound& job, unsigned block, Item& child)
    {
        const GraphTask& task = job.task;
        const unsigned index = block * blockDim.x + threadIdx.x;
        const unsigned vertex = index < job.count ? job.now[index] : kUnreached;
        if (vertex < task.vertices) {
            child.distance = Weighted ? job.before[index] : job.round;
            child.first = task.starts[vertex];
            child.count = task.starts[vertex + 1] - child.first;
        }
        add_of_warp(&task.totals->work, child.count);
        return child.count != 0;
    }

    // Block `block` of the `blocks` for the edges of one vertex.
    __device__ static bool block(const QueueRound& job, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/)
    {
        for (unsigned index = block * blockDim.x + threadIdx.x; index < item.count; index += blocks * blockDim.x)
            follow(job, item, item.first + index);
        return false;
    }

    __device__ static void process_serially(const QueueRound& job, const Item& item)
    {
        for (unsigned index = 0; index < item.count; ++index)
            follow(job, item, item.first + index);
    }

  private:
    __device__ static void follow(const QueueRound& job, const Item& item, unsigned edge)
    {
        const unsigned vertex = job.task.ends[edge];
        unsigned* const to = &job.task.distance[vertex];
        const unsigned distance = longer_by(job.task, item.distance, edge);
        if (load_relaxed(to) > distance && atomicMin(to, distance) > distance)
            append(job, vertex);
    }

    __device__ static void append(const QueueRound& job, unsigned vertex)
    {
        if (job.task.starts[vertex + 1] == job.task.starts[vertex])
            return;
        if constexpr (Weighted) // a distance may fall several times in a round
            if (atomicExch(&job.listed[vertex], job.round + 1) == job.round + 1)
                return;
        job.next[atomicAdd(job.end, 1U) - job.appended] = vertex;
    }
};

template <bool Weighted, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    graph_queue_children(const __grid_constant__ RequestRun<QueuedVertices<Weighted>> run,
                         const __grid_constant__ ChildGrid<typename QueuedVertices<Weighted>::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<graph_queue_children<Weighted, Nest>>(
        run, grid, nest, refused, nullptr, [&](const Nest& parent, const auto& child) {
            return launch<graph_queue_children<Weighted, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
        });
}

// sssp, before a round: the distances of its vertices.
__global__ void note_distances(QueueRound of)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < of.count)
        of.before[index] = of.task.distance[of.now[index]];
}

template <bool Weighted>
struct QueueSetup {
    RequestSetup<QueuedVertices<Weighted>> requests;
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
    return {set_up_requests<QueuedVertices<Weighted>>(job, round),
            {std::move(even), std::move(odd)},
            std::move(end),
            std::move(before),
            std::move(listed)};
}

// One root grid per round, with a thread per vertex of the queue. Waits for each round.
template <class S, bool Weighted>
void run_queue_rounds(const GraphJob& job, const QueueSetup<Weighted>& setup)
{
    auto round = setup.requests.run;
    const std::uint32_t threads = job.point.block;
    for (QueueRound& now = round.job; now.count != 0; ++now.round) {
        const std::uint32_t blocks = graph_roots(now.count, threads);
        if constexpr (Weighted)
            host_launch<note_distances>(job.context, 0, {blocks, threads}, now);
        launch_round<S>(job, round, blocks, [&](const auto& wave, auto nest) {
            host_launch<graph_queue_children<Weighted, decltype(nest)>>(wave, threads, round,
                                                                        root_grid(round, wave, threads), nest);
        });
        unsigned end = 0;
        job.context.read(std::span(&end, 1), setup.end, 0);
        now.count = end - now.appended;
        now.appended = end;
        now.now = setup.lists[(now.round + 1) % 2].data();
        now.next = setup.lists[now.round % 2].data();
    }
}

struct BfsQueueChildren {
    static constexpr StrategyInfo info{
        .name = "bfs_queue_children",
        .workload = &workloads::bfs,
        .mechanisms = kChildrenByKernel,
        .summary = "round by round, a child for the edges of every vertex in a queue of those that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016; frontier queue, Merrill, Garland, Grimshaw, PPoPP 2012",
        .requests = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::queue;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static QueueSetup<false> prepare(const GraphJob& job) { return set_up_queue<false>(job); }
    static void run(const GraphJob& job, const QueueSetup<false>& setup)
    {
        run_queue_rounds<BfsQueueChildren>(job, setup);
    }
};

struct SsspQueueChildren {
    static constexpr StrategyInfo info{
        .name = "sssp_queue_children",
        .workload = &workloads::sssp,
        .mechanisms = kChildrenByKernel,
        .summary = "round by round, a child for the edges of every vertex in a queue of those that changed",
        .hazards = "none: a round starts when the round before it is complete",
        .source = "KLAP, MICRO 2016; frontier queue, Merrill, Garland, Grimshaw, PPoPP 2012",
        .requests = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::queue;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static QueueSetup<true> prepare(const GraphJob& job) { return set_up_queue<true>(job); }
    static void run(const GraphJob& job, const QueueSetup<true>& setup)
    {
        run_queue_rounds<SsspQueueChildren>(job, setup);
    }
};

const Register<BfsQueueChildren, GraphTraits> bfs_queue_children;
const Register<SsspQueueChildren, GraphTraits> sssp_queue_children;

} // namespace nestbed::inline NESTBED_BACKEND
