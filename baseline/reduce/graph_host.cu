// graph_host: the levels of reduce2 as the nodes of one graph, launched once by the host. CUDA only.
//
//     once, untimed: capture the launches of host_loop, instantiate, upload
//     launch the graph
//
// Launches: none from the device; one graph of log2(block) nodes from the host, fewer with `depth`.
// Hazards: none. Each node depends on the node before it.
// Source: CUDA C++ Programming Guide, "CUDA Graphs".
#include "workloads/reduce/level.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct GraphHost {
    static constexpr StrategyInfo info{
        .name = "graph_host",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::host_graph>,
        .summary = "flat: a graph with one node per level, launched once by the host",
        .hazards = "none: each node depends on the node before it",
        .source = "CUDA C++ Programming Guide, CUDA Graphs",
        .cuda_only = true,
    };

#ifdef __CUDACC__
    template <class T>
    static Graph prepare(const Reduction<T>& job)
    {
        return job.context.capture(false, [&] { launch_levels(job); });
    }

    template <class T>
    static void run(const Reduction<T>& job, const Graph& graph)
    {
        job.context.launch(graph);
    }
#endif
};

const Register<GraphHost, ReduceRoom> graph_host;

} // namespace nestbed::inline NESTBED_BACKEND
