// Nodes that the program adds to graphs, and their parameters.
#include "program/runtime/graphs.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nestbed::program
{

namespace
{

// make(work) makes the work of the new node.
template <class Make>
cudaError_t new_node(const char* function, const void* place, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data, std::size_t count,
                     const Make& make)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const std::lock_guard lock(state().running);
    CUgraph_st* const of = graph_of(graph);
    if (of == nullptr || node == nullptr || (count > 0 && dependencies == nullptr))
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("{}: {}", function, of == nullptr ? "there is no such graph" : "a pointer is NULL"));
    Edges after = edges_of(dependencies, data, count);
    NodeWork work;
    if (const cudaError_t error = make(work); error != cudaSuccess)
        return error;
    if (const std::string why = why_not_node(*of, work, after); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}", function, why));
    *node = add_node(*of, std::move(work), std::move(after));
    return cudaSuccess;
}

template <class Make>
cudaError_t change_node(const char* function, const void* place, cudaGraphNode_t handle, cudaGraphNodeType type,
                        const Make& make)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(function, place, handle, type, node); error != cudaSuccess)
        return error;
    NodeWork work = node->work;
    if (const cudaError_t error = make(work); error != cudaSuccess)
        return error;
    node->work = std::move(work);
    return cudaSuccess;
}

template <class T>
cudaError_t node_parameters(const char* function, const void* place, cudaGraphNode_t handle, cudaGraphNodeType type,
                            T* parameters, T NodeWork::*of)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(function, place, handle, type, node); error != cudaSuccess)
        return error;
    return give(parameters, node->work.*of, place);
}

cudaError_t error_of_child(const char* function, const void* place, cudaGraph_t child, cudaGraph_t outer)
{
    const CUgraph_st* const graph = graph_of(child);
    if (graph == nullptr || child == outer)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: the child is no graph, or the graph itself", function));
    const std::string why = why_not_copied(*graph);
    return why.empty() ? cudaSuccess : noted_at(place, cudaErrorNotSupported, fmt::format("{}: {}", function, why));
}

void add_child(CUgraphNode_st& node, cudaGraph_t child)
{
    std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
    node.inner.push_back(copy_of(*graph_of(child), copies));
    register_inner(node);
}

cudaError_t condition_work(NodeWork& work, const CUgraph_st& graph, const cudaConditionalNodeParams& parameters,
                           const void* place)
{
    const CUgraph_st* whole = &graph;
    while (whole->of != nullptr)
        whole = whole->of->graph;
    if (std::ranges::none_of(whole->values, [&](const CUgraph_st::Value& each) {
            return reinterpret_cast<cudaGraphConditionalHandle>(each.value.get()) == parameters.handle;
        }))
        return noted_at(place, cudaErrorInvalidValue,
                        "cudaGraphAddNode: the handle of the conditional node is not of this graph; create it by "
                        "cudaGraphConditionalHandleCreate()");
    const unsigned most = parameters.type == cudaGraphCondTypeIf      ? 2
                          : parameters.type == cudaGraphCondTypeWhile ? 1
                                                                      : ~0U;
    if (parameters.type > cudaGraphCondTypeSwitch || parameters.size == 0 || parameters.size > most)
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("cudaGraphAddNode: a conditional node of type {} and size {}; allowed: size 1 or 2 "
                        "of IF, 1 of WHILE, at least 1 of SWITCH",
                        static_cast<int>(parameters.type), parameters.size));
    work = graph_work(cudaGraphNodeTypeConditional, place);
    work.condition = parameters;
    return cudaSuccess;
}

// Of a type that needs no graph of its own.
cudaError_t work_of(NodeWork& work, const char* function, cudaGraphNodeParams& parameters, Place place,
                    const void* code)
{
    switch (parameters.type) {
    case cudaGraphNodeTypeKernel:
        return kernel_work(work, parameters.kernel, place);
    case cudaGraphNodeTypeMemcpy:
        return copy_work(work, function, parameters.memcpy.copyParams, code);
    case cudaGraphNodeTypeMemset:
        return fill_work(work, function, parameters.memset, code);
    case cudaGraphNodeTypeHost:
        return host_work(work, function, parameters.host, code);
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeGraph:
        work = graph_work(parameters.type, code);
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        work = event_work(parameters.type, parameters.eventWait.event, code);
        return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
        if (const cudaError_t error =
                memory_work(work, function, parameters.alloc.bytesize, "memory of a graph", place, code);
            error != cudaSuccess)
            return error;
        parameters.alloc.dptr = work.memory;
        return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
        return free_work(work, function, parameters.free.dptr, code);
    default:
        return noted_at(code, cudaErrorNotSupported,
                        fmt::format("{}: nodes of type {}; the executor has no semaphores of other programs",
                                    function, static_cast<int>(parameters.type)));
    }
}

} // namespace

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

// What the functions that add nodes have in common.
#define NESTBED_NODE node, graph, dependencies, nullptr, count

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaKernelNodeParams* parameters, Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return new_node(NESTBED_HERE, NESTBED_NODE, [&, code = __builtin_return_address(0)](NodeWork& work) {
        const cudaError_t error = kernel_work(work, *parameters, place);
        work.place = code;
        return error;
    });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemcpy3DParms* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return new_node(NESTBED_HERE, NESTBED_NODE, [&, code = __builtin_return_address(0)](NodeWork& work) {
        return copy_work(work, "cudaGraphAddMemcpyNode", *parameters, code);
    });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    return new_node(NESTBED_HERE, NESTBED_NODE, [&, code = __builtin_return_address(0)](NodeWork& work) {
        return copy_work(work, "cudaGraphAddMemcpyNode1D", one_row(to, from, bytes, kind), code);
    });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemsetParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return new_node(NESTBED_HERE, NESTBED_NODE, [&, code = __builtin_return_address(0)](NodeWork& work) {
        return fill_work(work, "cudaGraphAddMemsetNode", *parameters, code);
    });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, const cudaHostNodeParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return new_node(NESTBED_HERE, NESTBED_NODE, [&, code = __builtin_return_address(0)](NodeWork& work) {
        return host_work(work, "cudaGraphAddHostNode", *parameters, code);
    });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child)
{
    const std::lock_guard lock(state().running);
    cudaError_t error = error_of_child(NESTBED_HERE, child, graph);
    if (error == cudaSuccess)
        error = new_node(NESTBED_HERE, NESTBED_NODE, [code = __builtin_return_address(0)](NodeWork& work) {
            work = graph_work(cudaGraphNodeTypeGraph, code);
            return cudaSuccess;
        });
    if (error == cudaSuccess)
        add_child(**node, child);
    return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t count)
{
    return new_node(NESTBED_HERE, NESTBED_NODE, [code = __builtin_return_address(0)](NodeWork& work) {
        work = graph_work(cudaGraphNodeTypeEmpty, code);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, cudaEvent_t event)
{
    return new_node(NESTBED_HERE, NESTBED_NODE, [event, code = __builtin_return_address(0)](NodeWork& work) {
        work = event_work(cudaGraphNodeTypeEventRecord, event, code);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t count, cudaEvent_t event)
{
    return new_node(NESTBED_HERE, NESTBED_NODE, [event, code = __builtin_return_address(0)](NodeWork& work) {
        work = event_work(cudaGraphNodeTypeWaitEvent, event, code);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, cudaMemAllocNodeParams* parameters, Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return new_node(NESTBED_HERE, NESTBED_NODE, [&, code = __builtin_return_address(0)](NodeWork& work) {
        const cudaError_t error =
            memory_work(work, "cudaGraphAddMemAllocNode", parameters->bytesize, "memory of a graph", place, code);
        parameters->dptr = work.memory;
        return error;
    });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t count, void* memory)
{
    return new_node(NESTBED_HERE, NESTBED_NODE, [memory, code = __builtin_return_address(0)](NodeWork& work) {
        return free_work(work, "cudaGraphAddMemFreeNode", memory, code);
    });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* parameters,
                             Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    const std::lock_guard lock(state().running);
    const void* const code = __builtin_return_address(0);
    if (parameters->type == cudaGraphNodeTypeGraph)
        if (const cudaError_t error = error_of_child(__func__, code, parameters->graph.graph, graph);
            error != cudaSuccess)
            return error;
    const cudaError_t error = new_node(__func__, code, node, graph, dependencies, edges, count, [&](NodeWork& work) {
        if (parameters->type == cudaGraphNodeTypeConditional)
            return condition_work(work, *graph_of(graph), parameters->conditional, code);
        const cudaError_t of_work = work_of(work, "cudaGraphAddNode", *parameters, place, code);
        work.place = code;
        return of_work;
    });
    if (error != cudaSuccess)
        return error;
    if (parameters->type == cudaGraphNodeTypeGraph)
        add_child(**node, parameters->graph.graph);
    if (parameters->type == cudaGraphNodeTypeConditional) {
        for (unsigned body = 0; body < parameters->conditional.size; ++body)
            (*node)->inner.push_back(std::make_unique<CUgraph_st>());
        register_inner(**node);
        parameters->conditional.phGraph_out = (*node)->bodies.data();
    }
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags, Place place)
{
    const std::lock_guard lock(state().running);
    CUgraph_st* const of = graph_of(graph);
    if (of == nullptr || handle == nullptr || flags > cudaGraphCondAssignDefault)
        return noted(cudaErrorInvalidValue);
    CUgraph_st* whole = of;
    while (whole->of != nullptr)
        whole = whole->of->graph;
    void* value = nullptr;
    if (const cudaError_t error = allocate(&value, sizeof(unsigned), sizeof(unsigned),
                                           "the value of a conditional handle", place, MemoryKind::container);
        error != cudaSuccess)
        return error;
    *static_cast<unsigned*>(value) = 0;
    whole->values.push_back(
        {owned_by_graphs(value, sizeof(unsigned)), default_value, flags == cudaGraphCondAssignDefault});
    return give(handle, reinterpret_cast<cudaGraphConditionalHandle>(value), __builtin_return_address(0));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters)
{
    const void* const place = __builtin_return_address(0);
    const std::lock_guard lock(state().running);
    CUgraphNode_st* of = nullptr;
    if (const cudaError_t error = with_node(__func__, place, node, cudaGraphNodeTypeKernel, of); error != cudaSuccess)
        return error;
    if (of->work.arguments == nullptr)
        return noted_at(
            place, cudaErrorNotSupported,
            fmt::format("cudaGraphKernelNodeGetParams: {} was captured; the executor has the arguments of "
                        "kernels that cudaGraphAddKernelNode() adds",
                        of->work.name));
    return give(parameters, of->work.kernel, place);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters, Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_node(NESTBED_HERE, node, cudaGraphNodeTypeKernel,
                       [&](NodeWork& work) { return kernel_work(work, *parameters, place); });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters)
{
    return node_parameters(NESTBED_HERE, node, cudaGraphNodeTypeMemcpy, parameters, &NodeWork::copy);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_node(NESTBED_HERE, node, cudaGraphNodeTypeMemcpy,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return copy_work(work, "cudaGraphMemcpyNodeSetParams", *parameters, code);
                       });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind)
{
    const cudaMemcpy3DParms parameters = one_row(to, from, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &parameters);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters)
{
    return node_parameters(NESTBED_HERE, node, cudaGraphNodeTypeMemset, parameters, &NodeWork::fill);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_node(NESTBED_HERE, node, cudaGraphNodeTypeMemset,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return fill_work(work, "cudaGraphMemsetNodeSetParams", *parameters, code);
                       });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters)
{
    return node_parameters(NESTBED_HERE, node, cudaGraphNodeTypeHost, parameters, &NodeWork::function);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_node(NESTBED_HERE, node, cudaGraphNodeTypeHost,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return host_work(work, "cudaGraphHostNodeSetParams", *parameters, code);
                       });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t* graph)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeGraph, node); error != cudaSuccess)
        return error;
    return give(graph, node->inner.front().get(), __builtin_return_address(0));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event)
{
    return node_parameters(NESTBED_HERE, node, cudaGraphNodeTypeEventRecord, event, &NodeWork::event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return change_node(NESTBED_HERE, node, cudaGraphNodeTypeEventRecord, [&](NodeWork& work) {
        work = event_work(cudaGraphNodeTypeEventRecord, event, work.place);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event)
{
    return node_parameters(NESTBED_HERE, node, cudaGraphNodeTypeWaitEvent, event, &NodeWork::event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return change_node(NESTBED_HERE, node, cudaGraphNodeTypeWaitEvent, [&](NodeWork& work) {
        work = event_work(cudaGraphNodeTypeWaitEvent, event, work.place);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle, cudaMemAllocNodeParams* parameters)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeMemAlloc, node);
        error != cudaSuccess)
        return error;
    cudaMemAllocNodeParams of{};
    of.poolProps.allocType = cudaMemAllocationTypePinned;
    of.poolProps.location = {cudaMemLocationTypeDevice, 0};
    of.bytesize = node->work.bytes;
    of.dptr = node->work.memory;
    return give(parameters, of, __builtin_return_address(0));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void* memory)
{
    return node_parameters(NESTBED_HERE, handle, cudaGraphNodeTypeMemFree, static_cast<void**>(memory),
                           &NodeWork::memory);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters, Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_node(NESTBED_HERE, node, parameters->type, [&, code = __builtin_return_address(0)](NodeWork& work) {
        return work_of(work, "cudaGraphNodeSetParams", *parameters, place, code);
    });
}
// NOLINTEND(readability-identifier-naming)
