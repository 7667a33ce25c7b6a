// bfs_queue: breadth-first search without levels, by blocks that stay resident and share a queue of vertices.
//
//     queue = the source
//     each block, until the queue is empty and no block works:
//         take up to as many vertices as the block has threads
//         thread: follow the edges of a vertex; append each end that is reached by a shorter path, unless it is in the queue
//
// Launches: none from the device; one from the host.
// Hazards: none for the answer: distances only fall, by an atomic minimum. A vertex leaves the queue before its distance is
// read, and enters it after its distance was written, with fences between: a shorter path is never missed.
// Source: persistent threads, Gupta, Stuart, Owens, InPar 2012; asynchronous BFS, Chen et al., "Atos", ICPP 2022.
#include "device/workloads/graph.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A ring. A vertex is in it at most once, so that `vertices` places are enough.
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
    while (atomicCAS(place, 0U, vertex + 1) != 0) { // its last vertex is being taken
    }
}

// By one thread: how many vertices from `first` on it may take; 0: the search is over.
__device__ inline unsigned take_vertices(VertexQueue* queue, unsigned most, unsigned& first)
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
            const unsigned count = static_cast<unsigned>(left) < most ? static_cast<unsigned>(left) : most;
            if (atomicCAS(&queue->taken, first, first + count) == first)
                return count;
        } else if (finished == appended || kBackend == BackendKind::cpu) {
            return 0; // on the executor a block that works takes what it appends
        }
    }
}

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
            unsigned* const place = &queue->places[(taken[0] + threadIdx.x) % task.vertices];
            unsigned vertex = 0;
            while ((vertex = load_acquire(place)) == 0) { // it is being appended
            }
            --vertex;
            atomicExch(place, 0U);
            atomicExch(&queue->queued[vertex], 0U);
            __threadfence();
            const unsigned longer = load_relaxed(&task.distance[vertex]) + 1;
            const unsigned end = task.starts[vertex + 1];
            looked = end - task.starts[vertex];
            for (unsigned edge = end - looked; edge < end; ++edge) {
                const unsigned to = task.ends[edge];
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

struct BfsQueue {
    static constexpr StrategyInfo info{
        .name = "bfs_queue",
        .workload = "bfs",
        .summary = "flat: without levels, resident blocks take vertices from a queue",
        .hazards = "none: distances only fall, by an atomic minimum",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012",
    };
    static constexpr GraphForm form = GraphForm::flat;

    struct Prepared {
        Buffer<unsigned> places, queued;
        Buffer<VertexQueue> queue;
        std::uint32_t blocks;
    };

    static Prepared prepare(const GraphJob& job)
    {
        Prepared prepared{job.context.allocate<unsigned>(job.task.vertices, "places"),
                          job.context.allocate<unsigned>(job.task.vertices, "queued"),
                          job.context.allocate<VertexQueue>(1, "queue"), 0};
        job.context.fill_bytes(prepared.places, 0, job.task.vertices);
        job.context.fill_bytes(prepared.queued, 0, job.task.vertices);
        const unsigned source = job.task.source + 1;
        job.context.upload(prepared.places, std::span(&source, 1));
        const VertexQueue queue{prepared.places.data(), prepared.queued.data(), 0, 1, 0};
        job.context.upload(prepared.queue, std::span(&queue, 1));
#ifdef __CUDACC__
        prepared.blocks = job.context.resident_blocks<follow_queue>(job.point.block);
#else
        prepared.blocks = 2 * job.context.facts().multiprocessors;
#endif
        return prepared;
    }

    static void run(const GraphJob& job, const Prepared& prepared)
    {
        host_launch<follow_queue>(job.context, 0, {prepared.blocks, job.point.block}, job.task,
                                  prepared.queue.data());
    }
};

const RegisterGraph<BfsQueue> bfs_queue;

} // namespace nestbed::inline NESTBED_BACKEND
