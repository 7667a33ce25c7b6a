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
#include "workloads/bfs/graph_queue.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

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

const Register<BfsQueue, GraphRoom> bfs_queue;

} // namespace nestbed::inline NESTBED_BACKEND
