// sssp_queue: shortest paths without steps, by blocks that stay resident and share a queue of vertices.
//
//     queue = the source
//     each block, until the queue is empty and no block works:
//         take up to as many vertices as the block has threads
//         thread: follow the edges of a vertex; append each end that is reached by a shorter path, unless it is in the queue
//
// Launches: none from the device; one from the host.
// Hazards: none for the answer: distances only fall, by an atomic minimum. A vertex leaves the queue before its distance is
// read, and enters it after its distance was written, with fences between: a shorter path is never missed. A vertex enters the
// queue again whenever its distance falls later, so the number of edges that are looked at depends on the order of execution.
// Source: persistent threads, Gupta, Stuart, Owens, InPar 2012; a queue without steps, Chen et al., "Atos", ICPP 2022;
// label-correcting shortest paths, Bellman 1958.
#include "workloads/bfs/graph_queue.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

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

const Register<SsspQueue, GraphRoom> sssp_queue;

} // namespace nestbed::inline NESTBED_BACKEND
