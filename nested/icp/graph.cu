// icp_graph: the iterations of icp_launches by a graph of two nodes that runs again: a device graph that launches itself (graph_tail),
// or the body of a WHILE node (graph_while). CUDA only.
// Traversal, search and sums are in src/workloads/icp/icp.hpp.
//
//     once, untimed: a graph of a traversal with as many blocks as the device holds, and a search with a block per leaf
//     search: the last block lets the graph run again if there is another iteration
//
// Launches: graph_tail: one per iteration, without the first; graph_while: none. The host makes the first launch.
// Hazards: none. A node starts when the one before it is complete, and the graph, or the body, runs again only then.
// Source: CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional Graph Nodes".
#include "workloads/icp/icp.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// A device graph has no dynamic parallelism in its kernels, so this one does not name a Nest.
__global__ void LAUNCH_BOUNDS(1024, 2) icp_node_of_traversal(const __grid_constant__ IcpTask task)
{
    traverse<kPointsPerThread>(task, blockIdx.x, gridDim.x);
}

template <class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1) icp_node_of_leaves(const __grid_constant__ IcpTask task, Nest nest)
{
    DYNAMIC_SHARED(IcpPointPair, tree);
    const unsigned long long now = nest.now();
    const Nest here = nest.at(task.state->iteration);
    const auto scope = here.enter(now);
    search_leaf(task, blockIdx.x, tree, false);
    if (!is_last_of(task, gridDim.x))
        return;
    if (finish_iteration(task))
        run_graph_again(here);
    else
        end_graph(here);
}
#endif

struct IcpGraph {
    static constexpr StrategyInfo info{
        .name = "icp_graph",
        .workload = &workloads::icp,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of a traversal and a search in the leaves that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    static Graph prepare(const IcpJob& job)
    {
        const std::uint32_t blocks = job.context.resident_blocks<icp_node_of_traversal>(job.point.block);
        return capture_levels(job, job.point[IcpParameter::iterations], [&](cudaStream_t stream, auto nest) {
            using Nest = decltype(nest);
            job.context.allow_shared<icp_node_of_leaves<Nest>>(job.shared_bytes);
            icp_node_of_traversal<<<blocks, job.point.block, 0, stream>>>(job.task);
            icp_node_of_leaves<Nest>
                <<<job.task.leaf_count, job.point.block, job.shared_bytes, stream>>>(job.task, nest);
        });
    }

    static void run(const IcpJob& job, const Graph& graph)
    {
        job.context.launch(graph);
    }
#endif
};

const Register<IcpGraph, IcpTraits> icp_graph;

} // namespace nestbed::inline NESTBED_BACKEND
