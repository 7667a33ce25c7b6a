// Graphs by nodes and edges, and what the program may ask of them.
#include "program/runtime/graphs.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

namespace nestbed::program
{

Graphs& graphs()
{
    static Graphs& of_process = *new Graphs; // programs destroy graphs in destructors
    return of_process;
}

CUgraph_st* graph_of(cudaGraph_t handle)
{
    if (const auto found = graphs().graphs.find(handle); found != graphs().graphs.end())
        return found->second.get();
    const auto inner = graphs().inner.find(handle);
    return inner == graphs().inner.end() ? nullptr : inner->second;
}

namespace
{

CUgraphNode_st* node_of(cudaGraphNode_t handle)
{
    const auto found = graphs().nodes.find(handle);
    return found == graphs().nodes.end() ? nullptr : found->first;
}

void register_inner(CUgraphNode_st& node)
{
    node.bodies.clear();
    for (const std::unique_ptr<CUgraph_st>& inner : node.inner) {
        inner->of = &node;
        node.bodies.push_back(inner.get());
        graphs().inner.emplace(inner.get(), inner.get());
        register_graph(*inner);
    }
}

void forget_node(CUgraphNode_st& node);

void forget_graph(CUgraph_st& graph)
{
    graphs().inner.erase(&graph);
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes)
        forget_node(*node);
}

void forget_node(CUgraphNode_st& node)
{
    graphs().nodes.erase(&node);
    for (const std::unique_ptr<CUgraph_st>& inner : node.inner)
        forget_graph(*inner);
}

bool comes_after(const CUgraphNode_st* node, const CUgraphNode_st* before)
{
    std::set<const CUgraphNode_st*> seen;
    std::vector<const CUgraphNode_st*> open{node};
    while (!open.empty()) {
        const CUgraphNode_st* const each = open.back();
        open.pop_back();
        if (each == before)
            return true;
        if (!seen.insert(each).second)
            continue;
        for (const Edge& edge : each->after)
            open.push_back(edge.from);
    }
    return false;
}

std::string why_not_edges(const CUgraph_st& graph, const Edges& edges)
{
    for (const Edge& edge : edges)
        if (node_of(edge.from) == nullptr || edge.from->graph != &graph)
            return "a dependency is no node of this graph";
    return "";
}

Edges edges_of(const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data, std::size_t count)
{
    Edges edges;
    for (std::size_t index = 0; index < count; ++index)
        edges.push_back({dependencies[index], data == nullptr ? cudaGraphEdgeData{} : data[index]});
    return edges;
}

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
    if (const std::string why = why_not_edges(*of, after); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}", function, why));
    NodeWork work;
    if (const cudaError_t error = make(work); error != cudaSuccess)
        return error;
    *node = add_node(*of, std::move(work), std::move(after));
    return cudaSuccess;
}

// The node, of this type.
cudaError_t with_node(const char* function, const void* place, cudaGraphNode_t handle, cudaGraphNodeType type,
                      CUgraphNode_st*& node)
{
    node = node_of(handle);
    if (node != nullptr && (type == cudaGraphNodeTypeCount || node->work.type == type))
        return cudaSuccess;
    return noted_at(
        place, cudaErrorInvalidValue,
        fmt::format("{}: {}", function, node == nullptr ? "there is no such node" : "the node is of another type"));
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

// How many there are, and as many as there is room for.
template <class T>
cudaError_t give_list(T* to, size_t* count, const std::vector<T>& list)
{
    if (count == nullptr)
        return noted(cudaErrorInvalidValue);
    if (to != nullptr) {
        std::copy_n(list.begin(), std::min(*count, list.size()), to);
        std::fill(to + std::min(*count, list.size()), to + *count, T{});
    }
    *count = to == nullptr ? list.size() : std::min(*count, list.size());
    return cudaSuccess;
}

cudaError_t give_edges(cudaGraphNode_t* nodes, cudaGraphEdgeData* data, size_t* count, const Edges& edges)
{
    std::vector<cudaGraphNode_t> list;
    std::vector<cudaGraphEdgeData> of_list;
    for (const Edge& edge : edges) {
        list.push_back(edge.from);
        of_list.push_back(edge.data);
    }
    if (data != nullptr && count != nullptr) {
        size_t copy = *count;
        give_list(data, &copy, of_list);
    }
    return give_list(nodes, count, list);
}

Edges dependents_of(const CUgraphNode_st& node)
{
    Edges found;
    for (const std::unique_ptr<CUgraphNode_st>& other : node.graph->nodes)
        for (const Edge& edge : other->after)
            if (edge.from == &node)
                found.push_back({other.get(), edge.data});
    return found;
}

cudaMemcpy3DParms one_row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    return {.srcArray = nullptr,
            .srcPos = {},
            .srcPtr = {const_cast<void*>(from), bytes, bytes, 1}, // NOLINT(*-const-cast): it is read
            .dstArray = nullptr,
            .dstPos = {},
            .dstPtr = {to, bytes, bytes, 1},
            .extent = {bytes, 1, 1},
            .kind = kind};
}

cudaError_t child_work(NodeWork& work, CUgraphNode_st& node, cudaGraph_t child)
{
    const CUgraph_st* const graph = graph_of(child);
    if (graph == nullptr)
        return noted(cudaErrorInvalidValue);
    std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
    for (const std::unique_ptr<CUgraph_st>& inner : node.inner)
        forget_graph(*inner);
    node.inner.clear();
    node.inner.push_back(copy_of(*graph, copies));
    register_inner(node);
    static_cast<void>(work);
    return cudaSuccess;
}

cudaError_t condition_work(NodeWork& work, const CUgraph_st& graph, const cudaConditionalNodeParams& parameters,
                           const void* place)
{
    const auto* const value =
        reinterpret_cast<const unsigned*>(parameters.handle); // NOLINT(performance-no-int-to-ptr)
    const CUgraph_st* whole = &graph;
    while (whole->of != nullptr)
        whole = whole->of->graph;
    if (std::ranges::find(whole->values, value, &CUgraph_st::Value::value) == whole->values.end())
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

std::string quoted(const std::string& text)
{
    std::string out;
    for (const char each : text)
        out += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
    return out;
}

void print_graph(std::FILE* file, const CUgraph_st& graph, const std::string& prefix)
{
    std::map<const CUgraphNode_st*, std::string> names;
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes)
        names[node.get()] = fmt::format("{}node_{}", prefix, names.size());
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        const std::string& name = names[node.get()];
        static_cast<void>(
            std::fputs(fmt::format("\"{}\" [label=\"{}\"];\n", name, quoted(node->work.name)).c_str(), file));
        for (const Edge& edge : node->after)
            static_cast<void>(std::fputs(fmt::format("\"{}\" -> \"{}\"{};\n", names[edge.from], name,
                                                     edge.is_programmatic() ? " [style=dashed]" : "")
                                             .c_str(),
                                         file));
        for (std::size_t number = 0; number < node->inner.size(); ++number) {
            const std::string inner = fmt::format("{}_{}", name, number);
            static_cast<void>(std::fputs(fmt::format("subgraph \"cluster_{}\" {{\n", inner).c_str(), file));
            print_graph(file, *node->inner[number], inner + "_");
            static_cast<void>(std::fputs("}\n", file));
        }
    }
}

} // namespace

void register_graph(CUgraph_st& graph)
{
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        node->graph = &graph;
        graphs().nodes.emplace(node.get(), &graph);
        register_inner(*node);
    }
}

cudaGraphNode_t add_node(CUgraph_st& graph, NodeWork work, Edges after)
{
    auto node = std::make_unique<CUgraphNode_st>();
    node->work = std::move(work);
    node->after = std::move(after);
    node->graph = &graph;
    graph.nodes.push_back(std::move(node));
    graphs().nodes.emplace(graph.nodes.back().get(), &graph);
    return graph.nodes.back().get();
}

std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph, std::map<cudaGraphNode_t, cudaGraphNode_t>& copies)
{
    auto copy = std::make_unique<CUgraph_st>();
    copy->values = graph.values;
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        auto of_copy = std::make_unique<CUgraphNode_st>();
        of_copy->work = node->work;
        of_copy->graph = copy.get();
        of_copy->original = node.get();
        of_copy->enabled = node->enabled;
        for (const std::unique_ptr<CUgraph_st>& inner : node->inner) {
            of_copy->inner.push_back(copy_of(*inner, copies));
            of_copy->inner.back()->of = of_copy.get();
        }
        copies[node.get()] = of_copy.get();
        copy->nodes.push_back(std::move(of_copy));
    }
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes)
        for (const Edge& edge : node->after)
            copies[node.get()]->after.push_back({copies[edge.from], edge.data});
    return copy;
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags)
{
    if (flags != 0)
        return noted(cudaErrorInvalidValue);
    const std::lock_guard lock(state().running);
    auto made = std::make_unique<CUgraph_st>();
    const cudaGraph_t handle = made.get();
    if (const cudaError_t error = give(graph, handle, __builtin_return_address(0)); error != cudaSuccess)
        return error;
    graphs().graphs.emplace(handle, std::move(made));
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    const std::lock_guard lock(state().running);
    const auto found = graphs().graphs.find(graph);
    if (found == graphs().graphs.end())
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        "cudaGraphDestroy: there is no such graph, or it was destroyed");
    forget_graph(*found->second);
    graphs().graphs.erase(found);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph)
{
    const std::lock_guard lock(state().running);
    const CUgraph_st* const of = graph_of(graph);
    if (of == nullptr)
        return noted(cudaErrorInvalidValue);
    std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
    std::unique_ptr<CUgraph_st> copy = copy_of(*of, copies);
    const cudaGraph_t handle = copy.get();
    register_graph(*copy);
    graphs().graphs.emplace(handle, std::move(copy));
    return give(clone, handle, __builtin_return_address(0));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone)
{
    const std::lock_guard lock(state().running);
    if (const CUgraph_st* const of = graph_of(clone); of != nullptr)
        for (const std::unique_ptr<CUgraphNode_st>& each : of->nodes)
            if (each->original == original)
                return give(node, each.get(), __builtin_return_address(0));
    return noted(cudaErrorInvalidValue);
}

// The work comes from `make`; NODE: what the functions that add nodes have in common.
#define NESTBED_NODE node, graph, dependencies, nullptr, count
#define NESTBED_HERE __func__, __builtin_return_address(0)

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
    if (graph_of(child) == nullptr || child == graph)
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        "cudaGraphAddChildGraphNode: the child is no graph, or the graph itself");
    const cudaError_t error =
        new_node(NESTBED_HERE, NESTBED_NODE, [code = __builtin_return_address(0)](NodeWork& work) {
            work = graph_work(cudaGraphNodeTypeGraph, code);
            return cudaSuccess;
        });
    return error == cudaSuccess ? child_work((*node)->work, **node, child) : error;
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
    if (parameters->type == cudaGraphNodeTypeGraph && graph_of(parameters->graph.graph) == nullptr)
        return noted(cudaErrorInvalidValue);
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
        return child_work((*node)->work, **node, parameters->graph.graph);
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
    whole->values.push_back({static_cast<unsigned*>(value), default_value, flags == cudaGraphCondAssignDefault});
    return give(handle, reinterpret_cast<cudaGraphConditionalHandle>(value), __builtin_return_address(0));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edges, size_t count)
{
    const std::lock_guard lock(state().running);
    const void* const place = __builtin_return_address(0);
    const CUgraph_st* const of = graph_of(graph);
    if (of == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
        return noted(cudaErrorInvalidValue);
    for (size_t index = 0; index < count; ++index) {
        const Edge edge{from[index], edges == nullptr ? cudaGraphEdgeData{} : edges[index]};
        if (!why_not_edges(*of, {edge, {.from = to[index]}}).empty())
            return noted_at(place, cudaErrorInvalidValue, "cudaGraphAddDependencies: a node is not of this graph");
        if (std::ranges::find(to[index]->after, edge.from, &Edge::from) != to[index]->after.end())
            return noted_at(place, cudaErrorInvalidValue, "cudaGraphAddDependencies: there is such an edge already");
        if (comes_after(edge.from, to[index]))
            return noted_at(place, cudaErrorInvalidValue, "cudaGraphAddDependencies: the edge would close a cycle");
        to[index]->after.push_back(edge);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* /*edges*/, size_t count)
{
    const std::lock_guard lock(state().running);
    if (graph_of(graph) == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
        return noted(cudaErrorInvalidValue);
    for (size_t index = 0; index < count; ++index)
        if (node_of(to[index]) == nullptr ||
            std::erase_if(to[index]->after, [&](const Edge& edge) { return edge.from == from[index]; }) == 0)
            return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                            "cudaGraphRemoveDependencies: there is no such edge");
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeCount, node); error != cudaSuccess)
        return error;
    CUgraph_st& graph = *node->graph;
    for (const std::unique_ptr<CUgraphNode_st>& other : graph.nodes)
        std::erase_if(other->after, [&](const Edge& edge) { return edge.from == node; });
    forget_node(*node);
    std::erase_if(graph.nodes, [&](const auto& each) { return each.get() == node; });
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count)
{
    const std::lock_guard lock(state().running);
    const CUgraph_st* const of = graph_of(graph);
    if (of == nullptr)
        return noted(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> list;
    for (const std::unique_ptr<CUgraphNode_st>& node : of->nodes)
        list.push_back(node.get());
    return give_list(nodes, count, list);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count)
{
    const std::lock_guard lock(state().running);
    const CUgraph_st* const of = graph_of(graph);
    if (of == nullptr)
        return noted(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> list;
    for (const std::unique_ptr<CUgraphNode_st>& node : of->nodes)
        if (node->after.empty())
            list.push_back(node.get());
    return give_list(nodes, count, list);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              size_t* count)
{
    const std::lock_guard lock(state().running);
    const CUgraph_st* const of = graph_of(graph);
    if (of == nullptr || count == nullptr)
        return noted(cudaErrorInvalidValue);
    Edges all;
    std::vector<cudaGraphNode_t> ends;
    for (const std::unique_ptr<CUgraphNode_st>& node : of->nodes)
        for (const Edge& edge : node->after) {
            all.push_back(edge);
            ends.push_back(node.get());
        }
    size_t of_ends = *count;
    if (to != nullptr)
        give_list(to, &of_ends, ends);
    return give_edges(from, edges, count, all);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, size_t* count)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeCount, node); error != cudaSuccess)
        return error;
    return give_edges(dependencies, edges, count, node->after);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* dependents,
                                           cudaGraphEdgeData* edges, size_t* count)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeCount, node); error != cudaSuccess)
        return error;
    return give_edges(dependents, edges, count, dependents_of(*node));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeCount, node); error != cudaSuccess)
        return error;
    return give(type, node->work.type, __builtin_return_address(0));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned /*flags*/)
{
    const std::lock_guard lock(state().running);
    const CUgraph_st* const of = graph_of(graph);
    std::FILE* const file = of == nullptr || path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr)
        return noted(of == nullptr || path == nullptr ? cudaErrorInvalidValue : cudaErrorOperatingSystem);
    static_cast<void>(std::fputs("digraph dot {\n", file));
    print_graph(file, *of, "");
    static_cast<void>(std::fputs("}\n", file));
    return std::fclose(file) == 0 ? cudaSuccess : noted(cudaErrorOperatingSystem);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters)
{
    return node_parameters(NESTBED_HERE, node, cudaGraphNodeTypeKernel, parameters, &NodeWork::kernel);
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
