// Graphs: their nodes and edges, their copies, and what the program may ask of them.
#include "program/runtime/graphs.hpp"

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

namespace
{

void forget_node(CUgraphNode_st& node)
{
    forget_captures_into(*node.graph);
    graphs().nodes.erase(&node);
    for (const std::unique_ptr<CUgraph_st>& inner : node.inner)
        forget_graph(*inner);
}

} // namespace

void forget_graphs()
{
    graphs() = {};
}

CUgraph_st* graph_of(cudaGraph_t handle)
{
    if (const auto found = graphs().graphs.find(handle); found != graphs().graphs.end())
        return found->second.get();
    const auto inner = graphs().inner.find(handle);
    return inner == graphs().inner.end() ? nullptr : inner->second;
}

void forget_graph(CUgraph_st& graph)
{
    forget_captures_into(graph);
    graphs().inner.erase(&graph);
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes)
        forget_node(*node);
}

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

namespace
{

bool has_node(const CUgraph_st& graph, cudaGraphNodeType type)
{
    return std::ranges::any_of(graph.nodes, [&](const std::unique_ptr<CUgraphNode_st>& node) {
        return node->work.type == type ||
               std::ranges::any_of(node->inner, [&](const auto& inner) { return has_node(*inner, type); });
    });
}

} // namespace

bool has_memory_nodes(const CUgraph_st& graph)
{
    return has_node(graph, cudaGraphNodeTypeMemAlloc) || has_node(graph, cudaGraphNodeTypeMemFree);
}

std::string why_not_copied(const CUgraph_st& graph)
{
    const bool has_memory = has_memory_nodes(graph);
    return has_memory || has_node(graph, cudaGraphNodeTypeConditional)
               ? fmt::format("a graph with {} nodes cannot be copied", has_memory ? "memory" : "conditional")
               : "";
}

std::string why_not_moved(cudaGraph_t graph, const CUgraph_st& to)
{
    const auto found = graphs().graphs.find(graph);
    if (found == graphs().graphs.end())
        return "the child is of another node";
    for (const CUgraph_st* whole = &to;; whole = whole->of->graph) {
        if (whole == found->second.get())
            return "the child has this graph in a node";
        if (whole->of == nullptr)
            break;
    }
    if (is_captured_into(*found->second))
        return "a stream is captured into the child";
    return has_node(*found->second, cudaGraphNodeTypeConditional) ? "a graph with conditional nodes cannot be moved"
                                                                  : "";
}

// By the descriptions of cudaGraphAddMemAllocNode() and cudaGraphAddMemFreeNode().
std::string why_not_node(const CUgraph_st& graph, const NodeWork& work, const Edges& after)
{
    const bool is_of_memory = work.type == cudaGraphNodeTypeMemAlloc || work.type == cudaGraphNodeTypeMemFree;
    if (is_of_memory && graph.of != nullptr && graph.of->work.type == cudaGraphNodeTypeGraph)
        return "memory nodes cannot be added to the graph of a node";
    if (work.type == cudaGraphNodeTypeMemFree) {
        const CUgraph_st* allocates = nullptr;
        std::set<const CUgraph_st*> frees;
        for (const auto& [node, of] : graphs().nodes) {
            if (node->work.memory == work.memory && node->work.type == cudaGraphNodeTypeMemAlloc)
                allocates = of;
            if (node->work.memory == work.memory && node->work.type == cudaGraphNodeTypeMemFree)
                frees.insert(of);
        }
        if (frees.contains(&graph))
            return "the graph frees the memory already";
        if (frees.contains(allocates))
            return "the graph that allocates the memory frees it, too";
        if (!frees.empty() && allocates == &graph)
            return "another graph frees the memory, and so the one that allocates it cannot";
    }
    return why_not_edges(graph, after, work.type);
}

Edges edges_of(const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* data, std::size_t count)
{
    Edges edges;
    for (std::size_t index = 0; index < count; ++index)
        edges.push_back({dependencies[index], data == nullptr ? cudaGraphEdgeData{} : data[index]});
    return edges;
}

// By the descriptions of cudaGraphDependencyType and cudaGraphEdgeData.
std::string why_not_edges(const CUgraph_st& graph, const Edges& edges, cudaGraphNodeType type)
{
    std::set<cudaGraphNode_t> seen;
    for (const Edge& edge : edges) {
        if (node_of(edge.from) == nullptr || edge.from->graph != &graph)
            return "a dependency is no node of this graph";
        if (!seen.insert(edge.from).second)
            return fmt::format("{} is among the dependencies twice", edge.from->work.name);
        const cudaGraphEdgeData& data = edge.data;
        if (data.from_port > cudaGraphKernelNodePortLaunchCompletion || data.to_port != 0 ||
            data.type > cudaGraphDependencyTypeProgrammatic)
            return fmt::format("an edge with from_port {}, to_port {} and type {}; allowed: ports 0 to 2, 0, and a "
                               "cudaGraphDependencyType",
                               data.from_port, data.to_port, data.type);
        const bool are_kernels = edge.from->work.type == cudaGraphNodeTypeKernel && type == cudaGraphNodeTypeKernel;
        if (edge.is_early() && edge.from->work.type != cudaGraphNodeTypeKernel)
            return fmt::format("an edge with from_port {} of {}; only kernels have other ports than 0",
                               data.from_port, edge.from->work.name);
        if (edge.is_programmatic() && (!edge.is_early() || !are_kernels))
            return fmt::format("an edge of cudaGraphDependencyTypeProgrammatic from {}, of from_port {}; allowed: "
                               "between kernels, of cudaGraphKernelNodePortProgrammatic or "
                               "cudaGraphKernelNodePortLaunchCompletion",
                               edge.from->work.name, data.from_port);
        if (!edge.is_programmatic() && data.from_port == cudaGraphKernelNodePortProgrammatic)
            return "an edge of cudaGraphKernelNodePortProgrammatic must be of cudaGraphDependencyTypeProgrammatic";
    }
    return "";
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

namespace
{

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

std::string label_of(const std::string& text)
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
            std::fputs(fmt::format("\"{}\" [label=\"{}\"];\n", name, label_of(node->work.name)).c_str(), file));
        for (const Edge& edge : node->after)
            static_cast<void>(std::fputs(
                fmt::format("\"{}\" -> \"{}\"{};\n", names[edge.from], name, edge.is_early() ? " [style=dashed]" : "")
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
                        "cudaGraphDestroy: there is no such graph, it was destroyed, or a node has it");
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
    if (const std::string why = why_not_copied(*of); !why.empty())
        return noted_at(__builtin_return_address(0), cudaErrorNotSupported, fmt::format("{}: {}", __func__, why));
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
        const std::string why = why_not_edges(*of, {{.from = to[index]}});
        if (const std::string both = why.empty() ? why_not_edges(*of, {edge}, to[index]->work.type) : why;
            !both.empty())
            return noted_at(place, cudaErrorInvalidValue, fmt::format("cudaGraphAddDependencies: {}", both));
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
    if (has_memory_nodes(*graph_of(graph)))
        return noted_at(__builtin_return_address(0), cudaErrorNotSupported,
                        fmt::format("{}: a graph with memory nodes keeps its edges", __func__));
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
    if (is_captured_into(graph)) // as an H200 says
        return noted_at(__builtin_return_address(0), cudaErrorIllegalState,
                        fmt::format("{}: a stream is captured into the graph of the node", __func__));
    if (has_memory_nodes(graph))
        return noted_at(__builtin_return_address(0), cudaErrorNotSupported,
                        fmt::format("{}: a graph with memory nodes keeps its nodes", __func__));
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
// NOLINTEND(readability-identifier-naming)
