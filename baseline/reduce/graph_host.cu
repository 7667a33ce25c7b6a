// graph_host: the levels of reduce2 as the nodes of one graph, launched once by the host. CUDA only.
//
//     once, untimed: capture the launches of host_loop, instantiate, upload
//     launch the graph
//     host_graph_pdl: the same of programmatic launches: a level begins while the level before ends, and waits for it
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
        .mechanisms = kOnly<Mechanism::host_graph, Mechanism::host_graph_pdl>,
        .summary = "flat: a graph with one node per level, launched once by the host",
        .hazards = "none: each node depends on the node before it",
        .source = "CUDA C++ Programming Guide, CUDA Graphs",
        .cuda_only = true,
    };

#ifdef __CUDACC__
    template <class T>
    static std::function<void()> prepare(const Reduction<T>& job)
    {
        return reduce_levels(job);
    }
#endif
};

const Register<GraphHost, ReduceTraits> graph_host;

} // namespace nestbed::inline NESTBED_BACKEND
