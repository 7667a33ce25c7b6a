// Graphs: the kernel of a node has the hidden parameter, which tells it to count itself when it runs. So it counts whatever launches the
// graph, and as often as a loop runs.
#pragma once
#pragma GCC system_header
#include "count_pointers.cuh"

namespace nestbed_count
{

// A kernel without a level: arguments in `extra` stay as they are.
template <class Node>
inline const NamedKernel& kernel_of_node(const Node& node, bool is_kernel = true)
{
    static const NamedKernel none = {};
    return is_kernel && node.extra == nullptr && node.func != nullptr
               ? kernel_at(reinterpret_cast<const void*>(node.func))
               : none;
}
template <class Node>
inline unsigned level_of_node(const Node& node, bool is_kernel = true)
{
    const NamedKernel& kernel = kernel_of_node(node, is_kernel);
    return kernel.has_level ? level_in_graph(kernel.name) : 0;
}

// What a node of a graph runs, as the last argument of the call that makes or changes it.
class KernelNode
{
  public:
    KernelNode(const cudaKernelNodeParams* of)
        : is_given_(of != nullptr), node_(is_given_ ? *of : cudaKernelNodeParams{}),
          level_(kernel_of_node(node_), node_.kernelParams, level_of_node(node_))
    {
        node_.kernelParams = level_.all();
    }
    operator const cudaKernelNodeParams*() const { return is_given_ ? &node_ : nullptr; }

  private:
    bool is_given_;
    cudaKernelNodeParams node_;
    WithLevel level_;
};
inline KernelNode with_level(const cudaKernelNodeParams* node)
{
    return {node};
}
class AnyNode
{
  public:
    AnyNode(cudaGraphNodeParams* of)
        : given_(of), node_(of != nullptr ? *of : cudaGraphNodeParams{}),
          is_kernel_(node_.type == cudaGraphNodeTypeKernel && node_.kernel.extra == nullptr),
          level_(kernel_of_node(node_.kernel, is_kernel_), is_kernel_ ? node_.kernel.kernelParams : nullptr,
                 level_of_node(node_.kernel, is_kernel_))
    {
        if (is_kernel_)
            node_.kernel.kernelParams = level_.all();
    }
    operator cudaGraphNodeParams*() { return is_kernel_ ? &node_ : given_; } // CUDA writes into that of other nodes

  private:
    cudaGraphNodeParams* given_;
    cudaGraphNodeParams node_;
    bool is_kernel_;
    WithLevel level_;
};
inline AnyNode with_level(cudaGraphNodeParams* node)
{
    return {node};
}
inline decltype(nullptr) with_level(decltype(nullptr) none)
{
    return none;
}
// Without the level, as the program gave them.
inline cudaError_t kernel_node_params(cudaGraphNode_t node, cudaKernelNodeParams* to)
{
    const cudaError_t error = cudaGraphKernelNodeGetParams(node, to);
    if (error == cudaSuccess && to->kernelParams != nullptr && kernel_at(to->func).has_level)
        ++to->kernelParams;
    return error;
}

NESTBED_COMMON cudaError_t graph_launch(cudaGraphExec_t graph, cudaStream_t stream)
{
    const cudaError_t error = cudaGraphLaunch(graph, stream);
    __atomic_fetch_add(&state().graphs.from_host, 1ULL, __ATOMIC_RELAXED);
    if (error != cudaSuccess)
        __atomic_fetch_add(&state().graphs.refused, 1ULL, __ATOMIC_RELAXED);
    note_launch(error);
    return error;
}

} // namespace nestbed_count
