// Graphs whose course kernels decide: conditional nodes, and kernel nodes that another kernel changes.
// Source: CUDA C++ programming guide, "Conditional graph nodes"; CUDA runtime API, "cudaGraphKernelNodeUpdatesApply".
#pragma once

#include "device/cuda/context.cuh"

#include <memory>
#include <span>

namespace nestbed::inline on_cuda
{

// An executable graph of the nodes that `add(graph)` adds. The host launches it.
template <class Add>
Graph build_graph(Context& context, const Add& add)
{
    struct Destroy {
        void operator()(cudaGraph_t graph) const noexcept { static_cast<void>(cudaGraphDestroy(graph)); }
    };
    cudaGraph_t made = nullptr;
    check(cudaGraphCreate(&made, 0));
    std::unique_ptr<CUgraph_st, Destroy> graph(made);
    add(graph.get());
    Graph executable(graph.release(), false);
    executable.upload(context.stream(0));
    return executable;
}

// Adds a kernel, to run after the node `after`; null: at once. The types of the arguments must be the kernel's.
template <auto Kernel, class... Args>
cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, LaunchShape shape, Args... args)
{
    void* arguments[] = {static_cast<void*>(&args)...};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(Kernel);
    kernel.gridDim = shape.grid;
    kernel.blockDim = shape.block;
    kernel.sharedMemBytes = shape.shared_bytes;
    kernel.kernelParams = arguments;
    cudaGraphNode_t added = nullptr;
    check(cudaGraphAddKernelNode(&added, graph, &after, after == nullptr ? 0 : 1, &kernel));
    return added;
}

// A number that conditional nodes of this graph, or of bodies in it, decide by: `value` at the start of each launch of the
// graph, until a kernel of the graph calls set_condition(). It must be the number of one conditional node.
inline cudaGraphConditionalHandle make_condition(cudaGraph_t graph, unsigned value)
{
    cudaGraphConditionalHandle condition{};
    check(cudaGraphConditionalHandleCreate(&condition, graph, value, cudaGraphCondAssignDefault));
    return condition;
}

struct ConditionalNode {
    cudaGraphNode_t node = nullptr;
    std::span<const cudaGraph_t> bodies{}; // empty graphs, to add nodes to
};

// Adds a conditional node, to run after the node `after`; null: at once. No kernel of a body may launch a kernel or a graph.
inline ConditionalNode add_conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalNodeType type,
                                       cudaGraphConditionalHandle condition, unsigned bodies = 1)
{
    cudaGraphNodeParams node{};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = condition;
    node.conditional.type = type;
    node.conditional.size = bodies;
    cudaGraphNode_t added = nullptr;
    const std::size_t before = after == nullptr ? 0 : 1;
#if CUDART_VERSION >= 13000
    check(cudaGraphAddNode(&added, graph, &after, nullptr, before, &node));
#else
    check(cudaGraphAddNode(&added, graph, &after, before, &node));
#endif
    return {added, {node.conditional.phGraph_out, bodies}};
}

__device__ inline void set_condition(cudaGraphConditionalHandle condition, unsigned value)
{
    cudaGraphSetConditional(condition, value);
}

// Lets kernels change a kernel node, and returns what they know it by, from the upload of the graph on.
inline cudaGraphDeviceNode_t let_kernels_change(cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    check(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
    return value.deviceUpdatableKernelNode.devNode;
}

// Whether a node runs, from the next time on that its turn comes. Returns CUDA's error code.
__device__ inline int enable_node(cudaGraphDeviceNode_t node, bool enabled)
{
    return cudaGraphKernelNodeSetEnabled(node, enabled);
}

// With how many blocks it runs.
__device__ inline int resize_node(cudaGraphDeviceNode_t node, unsigned blocks)
{
    return cudaGraphKernelNodeSetGridDim(node, dim3(blocks));
}

} // namespace nestbed::inline on_cuda
