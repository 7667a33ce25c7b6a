// Nodes that the program adds to graphs.
#include "program/runtime/graphs.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nestbed::program
{

namespace
{

cudaError_t error_of_child(const char* function, const void* place, const cudaChildGraphNodeParams& child,
                           const CUgraph_st& outer)
{
    const CUgraph_st* const graph = graph_of(child.graph);
    if (graph == nullptr || graph == &outer || graph->is_moved)
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("{}: the child is no graph, the graph itself, or was moved into a node", function));
    if (child.ownership > cudaGraphChildGraphOwnershipMove)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: ownership {}; allowed: a cudaGraphChildGraphNodeOwnership", function,
                                    static_cast<int>(child.ownership)));
    const std::string why = child.ownership == cudaGraphChildGraphOwnershipMove ? why_not_moved(child.graph, outer)
                                                                                : why_not_copied(*graph);
    return why.empty() ? cudaSuccess : noted_at(place, cudaErrorNotSupported, fmt::format("{}: {}", function, why));
}

void add_child(CUgraphNode_st& node, const cudaChildGraphNodeParams& child)
{
    if (child.ownership == cudaGraphChildGraphOwnershipMove) {
        node.inner.push_back(std::move(graphs().graphs.extract(child.graph).mapped()));
        node.inner.back()->is_moved = true;
    } else {
        std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
        node.inner.push_back(copy_of(*graph_of(child.graph), copies));
    }
    register_inner(node);
}

cudaError_t condition_work(NodeWork& work, const char* function, const CUgraph_st& graph,
                           const cudaConditionalNodeParams& parameters, const void* place)
{
    const CUgraph_st* whole = &graph;
    while (whole->of != nullptr)
        whole = whole->of->graph;
    if (std::ranges::none_of(whole->values, [&](const CUgraph_st::Value& each) {
            return reinterpret_cast<cudaGraphConditionalHandle>(each.value.get()) == parameters.handle;
        }))
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: the handle of the conditional node is not of this graph; create it by "
                                    "cudaGraphConditionalHandleCreate()",
                                    function));
    const unsigned most = parameters.type == cudaGraphCondTypeIf      ? 2
                          : parameters.type == cudaGraphCondTypeWhile ? 1
                                                                      : ~0U;
    if (parameters.type > cudaGraphCondTypeSwitch || parameters.size == 0 || parameters.size > most)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: a conditional node of type {} and size {}; allowed: size 1 or 2 "
                                    "of IF, 1 of WHILE, at least 1 of SWITCH",
                                    function, static_cast<int>(parameters.type), parameters.size));
    work = graph_work(cudaGraphNodeTypeConditional, place);
    work.condition = parameters;
    return cudaSuccess;
}

cudaError_t new_node(const char* function, const void* code, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data, std::size_t count,
                     cudaGraphNodeParams& parameters, Place place = {})
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const std::lock_guard lock(state().running);
    CUgraph_st* const of = graph_of(graph);
    if (of == nullptr || node == nullptr || (count > 0 && dependencies == nullptr))
        return noted_at(code, cudaErrorInvalidValue,
                        fmt::format("{}: {}", function,
                                    of == nullptr     ? "there is no such graph"
                                    : node == nullptr ? "the node's pointer is NULL"
                                                      : "dependencies are NULL"));
    const bool is_child = parameters.type == cudaGraphNodeTypeGraph;
    const bool is_condition = parameters.type == cudaGraphNodeTypeConditional;
    NodeWork work;
    if (const cudaError_t error = is_child       ? error_of_child(function, code, parameters.graph, *of)
                                  : is_condition ? condition_work(work, function, *of, parameters.conditional, code)
                                                 : work_of(work, function, parameters, place, code);
        error != cudaSuccess)
        return error;
    if (is_child)
        work = graph_work(cudaGraphNodeTypeGraph, code);
    work.place = code;
    Edges after = edges_of(dependencies, data, count);
    if (const std::string why = why_not_node(*of, work, after); !why.empty())
        return noted_at(code, cudaErrorInvalidValue, fmt::format("{}: {}", function, why));
    *node = add_node(*of, std::move(work), std::move(after));
    if (is_child)
        add_child(**node, parameters.graph);
    if (is_condition) {
        for (unsigned body = 0; body < parameters.conditional.size; ++body)
            (*node)->inner.push_back(std::make_unique<CUgraph_st>());
        register_inner(**node);
        parameters.conditional.phGraph_out = (*node)->bodies.data();
    }
    return cudaSuccess;
}

} // namespace

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

// What the functions that add nodes have in common.
#define NESTBED_NODE NESTBED_HERE, node, graph, dependencies, nullptr, count

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaKernelNodeParams* parameters, Place place)
{
    cudaGraphNodeParams of = given(parameters);
    return new_node(NESTBED_NODE, of, place);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemcpy3DParms* parameters)
{
    cudaGraphNodeParams of = given(parameters);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    cudaGraphNodeParams of = given(to, from, bytes, kind);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemsetParams* parameters)
{
    cudaGraphNodeParams of = given(parameters);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, const cudaHostNodeParams* parameters)
{
    cudaGraphNodeParams of = given(parameters);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child)
{
    cudaGraphNodeParams of = given(cudaGraphNodeTypeGraph);
    of.graph.graph = child;
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t count)
{
    cudaGraphNodeParams of = given(cudaGraphNodeTypeEmpty);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, cudaEvent_t event)
{
    cudaGraphNodeParams of = given(cudaGraphNodeTypeEventRecord, event);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t count, cudaEvent_t event)
{
    cudaGraphNodeParams of = given(cudaGraphNodeTypeWaitEvent, event);
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, cudaMemAllocNodeParams* parameters, Place place)
{
    cudaGraphNodeParams of = given(parameters);
    const cudaError_t error = new_node(NESTBED_NODE, of, place);
    if (error == cudaSuccess)
        parameters->dptr = of.alloc.dptr;
    return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t count, void* memory)
{
    cudaGraphNodeParams of = given(cudaGraphNodeTypeMemFree);
    of.free.dptr = memory;
    return new_node(NESTBED_NODE, of);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* parameters,
                             Place place)
{
    cudaGraphNodeParams none = given(cudaGraphNodeTypeCount);
    return new_node(NESTBED_HERE, node, graph, dependencies, edges, count, parameters == nullptr ? none : *parameters,
                    place);
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
// NOLINTEND(readability-identifier-naming)
