// Graphs of the host: their kernels count when they run, as often as the graph has them. What a node runs has the hidden parameter, too.
#pragma once
#pragma GCC system_header
#include "count_pointers.cuh"

namespace nestbed_count
{

// What a node of a graph runs, as the last argument of the call that makes or changes it.
class KernelNode
{
  public:
    KernelNode(const cudaKernelNodeParams* of)
        : node_(*of), level_(node_.extra == nullptr ? node_.func : nullptr, node_.kernelParams)
    {
        if (node_.extra == nullptr)
            node_.kernelParams = level_.all();
    }
    operator const cudaKernelNodeParams*() const { return &node_; }

  private:
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
        : given_(of), node_(*of), is_kernel_(of->type == cudaGraphNodeTypeKernel && of->kernel.extra == nullptr),
          level_(is_kernel_ ? of->kernel.func : nullptr, is_kernel_ ? of->kernel.kernelParams : nullptr)
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
// Without the level, as the program gave them.
inline cudaError_t kernel_node_params(cudaGraphNode_t node, cudaKernelNodeParams* to)
{
    const cudaError_t error = cudaGraphKernelNodeGetParams(node, to);
    size_t bytes = 0;
    if (error == cudaSuccess && to->kernelParams != nullptr && has_parameter(to->func, 0, bytes) &&
        bytes == sizeof(unsigned))
        ++to->kernelParams;
    return error;
}

// ---- what a graph launches ----

NESTBED_COMMON void captures()
{
    __atomic_store_n(&state().captures, true, __ATOMIC_RELAXED);
}

// With the lock held.
NESTBED_COMMON GraphKernels& kernels_of_graph(cudaGraphExec_t graph, const char* name)
{
    GraphKernels** at = &state().graphs;
    for (; *at != nullptr; at = &(*at)->next)
        if ((*at)->graph == nullptr || ((*at)->graph == graph && strcmp((*at)->name, name) == 0))
            break;
    if (*at == nullptr)
        *at = static_cast<GraphKernels*>(zeroed(sizeof(GraphKernels)));
    if ((*at)->graph == nullptr) {
        (*at)->name = name; // which lives as long as the process
        (*at)->count = 0;
        (*at)->graph = graph;
    }
    return **at;
}

NESTBED_COMMON cudaError_t graph_exec_destroy(cudaGraphExec_t graph)
{
    {
        const Lock lock;
        for (GraphKernels* known = state().graphs; known != nullptr; known = known->next)
            if (known->graph == graph)
                known->graph = nullptr;
    }
    return cudaGraphExecDestroy(graph);
}

NESTBED_COMMON void add_nodes(cudaGraphExec_t graph, cudaGraph_t of)
{
    size_t count = 0;
    if (cudaGraphGetNodes(of, nullptr, &count) != cudaSuccess || count == 0)
        return;
    cudaGraphNode_t* const nodes = static_cast<cudaGraphNode_t*>(zeroed(count * sizeof(cudaGraphNode_t)));
    cudaGraphGetNodes(of, nodes, &count);
    for (size_t i = 0; i < count; ++i) {
        cudaGraphNodeType type;
        cudaKernelNodeParams kernel;
        cudaGraph_t child = nullptr;
        if (cudaGraphNodeGetType(nodes[i], &type) != cudaSuccess)
            continue;
        if (type == cudaGraphNodeTypeGraph && cudaGraphChildGraphNodeGetGraph(nodes[i], &child) == cudaSuccess)
            add_nodes(graph, child);
        if (type != cudaGraphNodeTypeKernel || cudaGraphKernelNodeGetParams(nodes[i], &kernel) != cudaSuccess)
            continue;
        const char* const name = name_of_kernel(kernel.func);
        const Lock lock;
        ++kernels_of_graph(graph, name).count;
    }
    free(nodes);
}

// What the graph has now. Its handle may have been that of another one.
NESTBED_COMMON cudaError_t note_graph(cudaGraphExec_t graph, cudaGraph_t of, cudaError_t error)
{
    if (error != cudaSuccess)
        return error;
    {
        const Lock lock;
        for (GraphKernels* known = state().graphs; known != nullptr; known = known->next)
            if (known->graph == graph)
                known->count = 0;
        kernels_of_graph(graph, "");
    }
    const cudaError_t pending = cudaPeekAtLastError();
    add_nodes(graph, of);
    if (pending == cudaSuccess)
        cudaGetLastError();
    return error;
}

// No templates: their arguments would lose what NULL may be.
inline cudaError_t graph_instantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags = 0)
{
    const cudaError_t error = cudaGraphInstantiate(to, graph, flags);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_instantiate(cudaGraphExec_t* to, cudaGraph_t graph, cudaGraphNode_t* wrong, char* log,
                                     size_t bytes)
{
    const cudaError_t error = cudaGraphInstantiate(to, graph, wrong, log, bytes);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_instantiate_with_flags(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags = 0)
{
    const cudaError_t error = cudaGraphInstantiateWithFlags(to, graph, flags);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_instantiate_with_params(cudaGraphExec_t* to, cudaGraph_t graph,
                                                 cudaGraphInstantiateParams* params)
{
    const cudaError_t error = cudaGraphInstantiateWithParams(to, graph, params);
    return note_graph(*to, graph, error);
}
inline cudaError_t graph_exec_update(cudaGraphExec_t to, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result)
{
    return note_graph(to, graph, cudaGraphExecUpdate(to, graph, result));
}
inline cudaError_t graph_exec_update(cudaGraphExec_t to, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                     cudaGraphExecUpdateResult* result)
{
    return note_graph(to, graph, cudaGraphExecUpdate(to, graph, wrong, result));
}

// Each of its kernels counts as often as the graph has it.
NESTBED_COMMON cudaError_t graph_launch(unsigned site, const char* place, cudaGraphExec_t graph, cudaStream_t stream)
{
    const cudaError_t error = cudaGraphLaunch(graph, stream);
    stream_of_launch() = stream;
    if (error != cudaSuccess)
        return error;
    bool is_known = false;
    // Nothing is taken out of the list, and the lock is not held: what counts takes it.
    for (GraphKernels* kernels = __atomic_load_n(&state().graphs, __ATOMIC_ACQUIRE); kernels != nullptr;
         kernels = __atomic_load_n(&kernels->next, __ATOMIC_ACQUIRE)) {
        is_known = is_known || kernels->graph == graph;
        if (kernels->graph == graph && kernels->count != 0)
            count_host_launch(site, kernels->name, place, 0, kernels->count);
    }
    if (!is_known)
        not_counted("cudaGraphLaunch of a graph that other code has made", place);
    return error;
}

} // namespace nestbed_count
