// Executable graphs: made of graphs, and changed.
#include "program/runtime/graph_executables.hpp"

#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace nestbed::program
{

Executables& executables()
{
    static Executables& of_process = *new Executables; // programs destroy graphs in destructors
    return of_process;
}

Executable executable_of(cudaGraphExec_t handle)
{
    const std::lock_guard lock(executables().mutex);
    const auto found = executables().all.find(handle);
    return found == executables().all.end() ? nullptr : found->second;
}

namespace
{

// In an order of their edges, and as the program has added them otherwise.
void sort(CUgraph_st& graph)
{
    std::vector<std::unique_ptr<CUgraphNode_st>> sorted;
    std::set<const CUgraphNode_st*> done;
    for (bool any = true; any;) {
        any = false;
        for (std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
            if (node == nullptr ||
                !std::ranges::all_of(node->after, [&](const Edge& edge) { return done.contains(edge.from); }))
                continue;
            done.insert(node.get());
            sorted.push_back(std::move(node));
            any = true;
        }
    }
    graph.nodes = std::move(sorted);
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes)
        for (const std::unique_ptr<CUgraph_st>& inner : node->inner)
            sort(*inner);
}

// The executor lets a grid overlap the one before it in its stream, which is then the only one of those before it that may still run.
void give_streams(CUgraphExec_st& executable, const CUgraph_st& graph)
{
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        for (const Edge& edge : node->after)
            if (node->stream == nullptr && edge.is_programmatic() && edge.from->next_in_stream == nullptr &&
                std::ranges::count_if(
                    node->after, [&](const Edge& each) { return each.from->stream == edge.from->stream; }) == 1) {
                edge.from->next_in_stream = node.get();
                node->stream = edge.from->stream;
            }
        if (node->stream == nullptr) {
            node->stream = make_node_stream(executable.number, node->work.place);
            executable.streams.push_back(node->stream);
        }
        for (const std::unique_ptr<CUgraph_st>& inner : node->inner)
            give_streams(executable, *inner);
    }
}

template <class Use>
void for_each_node(const CUgraph_st& graph, bool in_body, const Use& use)
{
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        use(*node, in_body);
        for (const std::unique_ptr<CUgraph_st>& inner : node->inner)
            for_each_node(*inner, in_body || node->work.type == cudaGraphNodeTypeConditional, use);
    }
}

// By the API's description of cudaGraphInstantiateWithParams() and of conditional nodes.
const CUgraphNode_st* wrong_node(const CUgraph_st& graph, bool by_device, std::string& why)
{
    const CUgraphNode_st* wrong = nullptr;
    for_each_node(graph, false, [&](const CUgraphNode_st& node, bool in_body) {
        const cudaGraphNodeType type = node.work.type;
        const bool is_plain = type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
                              type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeGraph;
        if (in_body && !is_plain && type != cudaGraphNodeTypeEmpty && type != cudaGraphNodeTypeConditional) {
            why =
                "the body of a conditional node can have kernels, copies, sets, child graphs, empty and conditional "
                "nodes";
            wrong = &node;
        } else if (by_device && !is_plain) {
            why = "a graph that kernels launch can have kernels, copies, sets and child graphs";
            wrong = &node;
        }
    });
    return wrong;
}

cudaError_t instantiate(cudaGraphExec_t* handle, cudaGraph_t graph, unsigned long long flags,
                        cudaGraphInstantiateParams* result, const void* place)
{
    constexpr unsigned long long kAll = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagDeviceLaunch |
                                        cudaGraphInstantiateFlagUseNodePriority;
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const std::lock_guard lock(state().running);
    const CUgraph_st* const of = graph_of(graph);
    const auto refuse = [place](const std::string& why) {
        return noted_at(place, cudaErrorInvalidValue, fmt::format("cudaGraphInstantiate: {}", why));
    };
    if (of == nullptr || of->is_moved)
        return refuse("there is no such graph, it was destroyed, or moved into a node");
    if (handle == nullptr)
        return refuse("the pointer for the executable graph is NULL");
    if ((flags & ~kAll) != 0)
        return refuse(
            fmt::format("flags {:#x}; allowed: those of cudaGraphInstantiateFlags, {:#x} together", flags, kAll));
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0 &&
        (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0)
        return refuse("cudaGraphInstantiateFlagDeviceLaunch together with cudaGraphInstantiateFlagAutoFreeOnLaunch");
    for (const CUgraph_st::Value& value : of->values) {
        bool is_used = false;
        for_each_node(*of, true, [&](const CUgraphNode_st& node, bool /*in_body*/) {
            is_used |= node.work.type == cudaGraphNodeTypeConditional &&
                       node.work.condition.handle == reinterpret_cast<cudaGraphConditionalHandle>(value.value.get());
        });
        if (!is_used)
            return refuse("no node has a handle that cudaGraphConditionalHandleCreate() made");
    }
    std::string why;
    const bool by_device = (flags & cudaGraphInstantiateFlagDeviceLaunch) != 0;
    if (const CUgraphNode_st* const wrong = wrong_node(*of, by_device, why); wrong != nullptr) {
        if (result != nullptr) {
            result->errNode_out = const_cast<cudaGraphNode_t>(wrong); // NOLINT(*-const-cast): the program's own
            result->result_out = cudaGraphInstantiateNodeOperationNotSupported;
        }
        return noted_at(place, cudaErrorNotSupported,
                        fmt::format("cudaGraphInstantiate: {}, not {}", why, wrong->work.name));
    }
    bool has_executable = false; // which shares its memory
    for_each_node(*of, false, [&](const CUgraphNode_st& node, bool /*in_body*/) {
        has_executable |= node.work.owner.use_count() > 1;
    });
    if (has_executable)
        return noted_at(place, cudaErrorNotSupported,
                        "cudaGraphInstantiate: there is an executable graph of this graph, which has memory nodes; "
                        "cudaGraphExecDestroy() comes first");
    auto made = std::make_shared<CUgraphExec_st>();
    made->graph = copy_of(*of, made->copies);
    made->flags = flags;
    made->number = ++executables().last;
    made->is_on_device = (flags & cudaGraphInstantiateFlagUpload) != 0;
    made->own = make_node_stream(made->number, place);
    made->streams.push_back(made->own);
    sort(*made->graph);
    give_streams(*made, *made->graph);
    for_each_node(*made->graph, false, [&](const CUgraphNode_st& node, bool /*in_body*/) {
        if (node.work.type == cudaGraphNodeTypeMemAlloc)
            made->unfreed.push_back(node.work.memory);
        if (node.work.type == cudaGraphNodeTypeMemFree && std::erase(made->unfreed, node.work.memory) == 0)
            made->freed.push_back(node.work.memory);
    });
    if (result != nullptr)
        result->result_out = cudaGraphInstantiateSuccess;
    const cudaGraphExec_t own = made.get();
    {
        const std::lock_guard of_all(executables().mutex);
        executables().all.emplace(own, std::move(made));
    }
    return give(handle, own, place);
}

bool is_cooperative(const NodeWork& work)
{
    return std::ranges::any_of(work.attributes, [](const cudaLaunchAttribute& each) {
        return each.id == cudaLaunchAttributeCooperative && each.val.cooperative != 0;
    });
}

// nullptr: the nodes can do what those of `from` do.
const CUgraphNode_st* differing(const CUgraph_st& graph, const CUgraph_st& from, cudaGraphExecUpdateResult& result)
{
    const auto differs = [&](cudaGraphExecUpdateResult how, const CUgraphNode_st* node) {
        result = how;
        return node;
    };
    std::map<const CUgraphNode_st*, const CUgraphNode_st*> same;
    for (std::size_t index = 0; index < from.nodes.size(); ++index) {
        const CUgraphNode_st& of = *from.nodes[index];
        if (index >= graph.nodes.size())
            return differs(cudaGraphExecUpdateErrorTopologyChanged, &of);
        const CUgraphNode_st& own = *graph.nodes[index];
        if (own.work.type != of.work.type)
            return differs(cudaGraphExecUpdateErrorNodeTypeChanged, &of);
        if (own.after.size() != of.after.size() || own.inner.size() != of.inner.size())
            return differs(cudaGraphExecUpdateErrorTopologyChanged, &of);
        same[&own] = &of;
        for (const Edge& edge : own.after)
            if (std::ranges::none_of(of.after, [&](const Edge& each) {
                    return each.from == same[edge.from] && each.data.from_port == edge.data.from_port &&
                           each.data.type == edge.data.type;
                }))
                return differs(cudaGraphExecUpdateErrorTopologyChanged, &of);
        if (is_cooperative(own.work) != is_cooperative(of.work))
            return differs(cudaGraphExecUpdateErrorAttributesChanged, &of);
        if (own.work.type == cudaGraphNodeTypeConditional && (own.work.condition.handle != of.work.condition.handle ||
                                                              own.work.condition.type != of.work.condition.type))
            return differs(cudaGraphExecUpdateErrorParametersChanged, &of);
        if (own.work.type == cudaGraphNodeTypeMemAlloc || own.work.type == cudaGraphNodeTypeMemFree)
            if (own.work.memory != of.work.memory)
                return differs(cudaGraphExecUpdateErrorNotSupported, &of);
        for (std::size_t number = 0; number < of.inner.size(); ++number)
            if (const CUgraphNode_st* const inner = differing(*own.inner[number], *of.inner[number], result);
                inner != nullptr)
                return inner;
    }
    if (graph.nodes.size() != from.nodes.size())
        return differs(cudaGraphExecUpdateErrorTopologyChanged,
                       from.nodes.empty() ? nullptr : from.nodes.back().get());
    return nullptr;
}

void take_over(const CUgraph_st& graph, const CUgraph_st& from, std::map<cudaGraphNode_t, cudaGraphNode_t>& copies)
{
    for (std::size_t index = 0; index < from.nodes.size(); ++index) {
        graph.nodes[index]->work = from.nodes[index]->work;
        if (from.nodes[index]->original != nullptr)
            copies[from.nodes[index]->original] = graph.nodes[index].get();
        for (std::size_t number = 0; number < from.nodes[index]->inner.size(); ++number)
            take_over(*graph.nodes[index]->inner[number], *from.nodes[index]->inner[number], copies);
    }
}

// The nodes of the executable graph do what those of the other graph do from now on, if they can.
bool update(const CUgraph_st& own, cudaGraph_t handle, std::map<cudaGraphNode_t, cudaGraphNode_t>& copies,
            cudaGraphExecUpdateResultInfo& result)
{
    const CUgraph_st* const from = graph_of(handle);
    result = {.result = from == nullptr ? cudaGraphExecUpdateError : cudaGraphExecUpdateSuccess};
    if (from == nullptr)
        return false;
    std::map<cudaGraphNode_t, cudaGraphNode_t> of_sorted;
    const std::unique_ptr<CUgraph_st> sorted = copy_of(*from, of_sorted);
    sort(*sorted);
    if (const CUgraphNode_st* const node = differing(own, *sorted, result.result); node != nullptr)
        result.errorNode = node->original;
    if (result.result == cudaGraphExecUpdateSuccess)
        take_over(own, *sorted, copies);
    return result.result == cudaGraphExecUpdateSuccess;
}

// What was launched may keep it, but not its memory.
void forget(CUgraphExec_st& executable)
{
    executable.graph->values.clear();
    for_each_node(*executable.graph, false, [](CUgraphNode_st& node, bool /*in_body*/) { node.work.owner.reset(); });
    const std::lock_guard of_all(executables().mutex);
    executables().all.erase(&executable);
}

} // namespace

cudaError_t with_executable_node(const char* function, const void* place, cudaGraphExec_t handle,
                                 cudaGraphNode_t node, cudaGraphNodeType type, CUgraphNode_st*& own)
{
    const Executable executable = executable_of(handle);
    if (executable == nullptr || !executable->copies.contains(node))
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: {}", function,
                                    executable == nullptr ? "there is no such executable graph, or it was destroyed"
                                                          : "the executable graph has no such node"));
    own = executable->copies[node];
    if (type != cudaGraphNodeTypeCount && own->work.type != type)
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: the node is of another type", function));
    run_all_works(); // of launches before
    return cudaSuccess;
}

cudaError_t update_child(const char* function, const void* place, cudaGraphExec_t executable, cudaGraphNode_t node,
                         cudaGraph_t child)
{
    CUgraphNode_st* own = nullptr;
    if (const cudaError_t error =
            with_executable_node(function, place, executable, node, cudaGraphNodeTypeGraph, own);
        error != cudaSuccess)
        return error;
    cudaGraphExecUpdateResultInfo result = {};
    if (update(*own->inner.front(), child, executable_of(executable)->copies, result))
        return cudaSuccess;
    return noted_at(place, cudaErrorInvalidValue,
                    fmt::format("{}: the graph differs from that of the node in more than what its nodes do "
                                "(cudaGraphExecUpdateResult {}), or it is none",
                                function, static_cast<int>(result.result)));
}

void forget_executables()
{
    while (!executables().all.empty())
        forget(*Executable(executables().all.begin()->second));
}

bool is_executable_graph(const void* word)
{
    const std::lock_guard lock(executables().mutex);
    return executables().all.contains(static_cast<cudaGraphExec_t>(const_cast<void*>(word))); // NOLINT(*-const-cast)
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags)
{
    return instantiate(executable, graph, flags, nullptr, __builtin_return_address(0));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return instantiate(executable, graph, parameters->flags, parameters, __builtin_return_address(0));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                 char* log, size_t log_bytes)
{
    cudaGraphInstantiateParams result{};
    const cudaError_t error = instantiate(executable, graph, 0, &result, __builtin_return_address(0));
    if (error_node != nullptr)
        *error_node = result.errNode_out;
    if (log != nullptr && log_bytes > 0)
        *log = '\0';
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags)
{
    const Executable of = executable_of(executable);
    return of == nullptr ? noted(cudaErrorInvalidValue) : give(flags, of->flags, __builtin_return_address(0));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    const std::lock_guard lock(state().running);
    run_all_works(); // they use its streams
    const Executable of = executable_of(executable);
    if (of == nullptr)
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        "cudaGraphExecDestroy: there is no such executable graph, or it was destroyed");
    forget(*of);
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    const Executable of = executable_of(executable);
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    if (of == nullptr)
        return noted(cudaErrorInvalidValue);
    of->is_on_device = true;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result)
{
    const std::lock_guard lock(state().running);
    const Executable of = executable_of(executable);
    const CUgraph_st* const from = graph_of(graph);
    if (of == nullptr || from == nullptr || from->is_moved || result == nullptr)
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        fmt::format("{}: {}", __func__,
                                    of == nullptr       ? "there is no such executable graph, or it was destroyed"
                                    : result == nullptr ? "the pointer for the result is NULL"
                                                        : "there is no such graph, or it was moved into a node"));
    run_all_works(); // of launches before
    return update(*of->graph, graph, of->copies, *result) ? cudaSuccess : noted(cudaErrorGraphExecUpdateFailure);
}
// NOLINTEND(readability-identifier-naming)
