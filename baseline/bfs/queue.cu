// bfs_queue, sssp_queue: a search without levels, by blocks that stay resident and share a queue of vertices.
//
//     queue = the source
//     each block, until the queue is empty and no block works:
//         take up to as many vertices as the block has threads
//         thread: follow the edges of a vertex; append each end that is reached by a shorter path, unless it is in the queue
//
// Launches: none from the device; one from the host.
// Hazards: none for the answer: distances only fall, by an atomic minimum (label-correcting). A vertex leaves the queue before its
// distance is read, and enters it after its distance was written, with fences between: a shorter path is never missed. A vertex
// enters the queue again whenever its distance falls later, so the number of edges that are looked at depends on the order of
// execution.
// Source: persistent threads, Gupta, Stuart, Owens, InPar 2012; a queue without steps, Chen et al., "Atos", ICPP 2022;
// label-correcting shortest paths, Bellman 1958.
#include "workloads/bfs/graph.hpp"

#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

// A ring. A vertex is in it at most once, so that `vertices` places are enough. In one search fewer than 2^32 vertices enter it.
struct VertexQueue {
    unsigned* places; // vertex + 1; 0: empty
    unsigned* queued; // by vertex: 1 if it is in the queue
    unsigned taken;   // vertices before it are taken
    unsigned appended;
    unsigned finished; // vertices whose edges have been followed
};

__device__ inline void append_vertex(VertexQueue* queue, unsigned vertices, unsigned vertex)
{
    __threadfence();
    if (atomicExch(&queue->queued[vertex], 1U) != 0)
        return;
    unsigned* const place = &queue->places[fetch_add_acq_rel(&queue->appended, 1) % vertices];
    __threadfence();                                // who takes it sees that it is queued
    while (atomicCAS(place, 0U, vertex + 1) != 0) { // its last vertex has not been taken yet
    }
}

// Waits for a vertex in a place of which this thread may take one. Takes it by one atomic operation, because threads that may
// take vertices of later rounds of the ring can wait for the same place.
__device__ inline unsigned take_vertex(unsigned* place)
{
    unsigned vertex = 0;
    while (vertex == 0)
        if (load_relaxed(place) != 0)
            vertex = atomicExch(place, 0U);
    __threadfence();
    return vertex - 1;
}

// By one thread: how many vertices from `first` on it may take; 0: the search is over.
__device__ inline unsigned take_vertices(VertexQueue* queue, unsigned limit, unsigned& first)
{
    for (;;) {
        // Read before `appended`: a vertex is finished only when what it reaches is appended.
        const unsigned finished = load_acquire(&queue->finished);
        const unsigned appended = load_acquire(&queue->appended);
        first = load_acquire(&queue->taken);
        const int left = static_cast<int>(appended - first); // less than 0: others have taken since
        if (left < 0)
            continue;
        if (left != 0) {
            const unsigned count = static_cast<unsigned>(left) < limit ? static_cast<unsigned>(left) : limit;
            if (atomicCAS(&queue->taken, first, first + count) == first)
                return count;
        } else if (finished == appended || kBackend == BackendKind::cpu) {
            return 0; // on the executor a block that works takes what it appends
        }
    }
}

template <bool Weighted>
__global__ void LAUNCH_BOUNDS(1024) follow_queue(GraphTask task, VertexQueue* queue)
{
    BLOCK_SHARED(unsigned, taken, 2);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            taken[1] = take_vertices(queue, blockDim.x, taken[0]);
        __syncthreads();
        const unsigned count = taken[1];
        if (count == 0)
            return;
        unsigned looked = 0;
        if (threadIdx.x < count) {
            const unsigned vertex = take_vertex(&queue->places[(taken[0] + threadIdx.x) % task.vertices]);
            atomicExch(&queue->queued[vertex], 0U);
            __threadfence();
            const unsigned distance = load_relaxed(&task.distance[vertex]);
            const unsigned end = task.starts[vertex + 1];
            looked = end - task.starts[vertex];
            for (unsigned edge = end - looked; edge < end; ++edge) {
                const unsigned to = task.ends[edge];
                const unsigned longer = Weighted ? longer_by(task, distance, edge) : distance + 1;
                if (load_relaxed(&task.distance[to]) > longer && atomicMin(&task.distance[to], longer) > longer)
                    append_vertex(queue, task.vertices, to);
            }
        }
        add_of_warp(&task.totals->work, looked);
        __syncthreads();
        if (threadIdx.x == 0)
            fetch_add_acq_rel(&queue->finished, count);
    }
}

struct VertexQueueSetup {
    Buffer<unsigned> places, queued;
    Buffer<VertexQueue> queue;
    std::uint32_t blocks;
};

template <bool Weighted>
VertexQueueSetup set_up_vertex_queue(const GraphJob& job)
{
    VertexQueueSetup setup{job.context.allocate<unsigned>(job.task.vertices, "places"),
                           job.context.allocate<unsigned>(job.task.vertices, "queued"),
                           job.context.allocate<VertexQueue>(1, "queue"), 0};
    job.context.fill_bytes(setup.places, 0, job.task.vertices);
    job.context.fill_bytes(setup.queued, 0, job.task.vertices);
    const unsigned source = job.task.source + 1;
    job.context.upload(setup.places, std::span(&source, 1));
    const VertexQueue queue{setup.places.data(), setup.queued.data(), 0, 1, 0};
    job.context.upload(setup.queue, std::span(&queue, 1));
    setup.blocks = job.context.resident_blocks<follow_queue<Weighted>>(job.point.block);
    return setup;
}

template <bool Weighted>
void run_vertex_queue(const GraphJob& job, const VertexQueueSetup& setup)
{
    host_launch<follow_queue<Weighted>>(job.context, 0, {setup.blocks, job.point.block}, job.task,
                                        setup.queue.data());
}

struct BfsQueue {
    static constexpr StrategyInfo info{
        .name = "bfs_queue",
        .workload = &workloads::bfs,
        .summary = "flat: without levels, resident blocks take vertices from a queue",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012",
    };
    static constexpr GraphForm form = GraphForm::flat;

    static VertexQueueSetup prepare(const GraphJob& job) { return set_up_vertex_queue<false>(job); }
    static void run(const GraphJob& job, const VertexQueueSetup& setup) { run_vertex_queue<false>(job, setup); }
};

struct SsspQueue {
    static constexpr StrategyInfo info{
        .name = "sssp_queue",
        .workload = &workloads::sssp,
        .summary = "flat: without levels, resident blocks take vertices from a queue",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012; label-correcting, Bellman 1958",
    };
    static constexpr GraphForm form = GraphForm::flat;

    static VertexQueueSetup prepare(const GraphJob& job) { return set_up_vertex_queue<true>(job); }
    static void run(const GraphJob& job, const VertexQueueSetup& setup) { run_vertex_queue<true>(job, setup); }
};

const Register<BfsQueue, GraphTraits> bfs_queue;
const Register<SsspQueue, GraphTraits> sssp_queue;

} // namespace nestbed::inline NESTBED_BACKEND
