// Executable graphs: what their nodes do, and launches of them by the host and by kernels.
#include "device/cpu/observer.hpp"
#include "program/runtime/copies.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/kernel_limits.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

// NOLINTNEXTLINE(readability-identifier-naming): CUDA's name
struct CUgraphExec_st {
    std::unique_ptr<CUgraph_st> graph{};
    std::map<cudaGraphNode_t, cudaGraphNode_t>
        copies{}; // of the nodes of the program's graph, and of the graphs in it
    unsigned long long flags = 0;
    std::uint64_t number = 0;
    cudaStream_t own = nullptr; // where its launches are one after another
    std::vector<cudaStream_t> streams{};
    std::vector<void*> unfreed{}; // memory that its nodes allocate and do not free
    std::atomic<bool> is_on_device = false;

    ~CUgraphExec_st()
    {
        for (const cudaStream_t stream : streams)
            nestbed::program::end_node_stream(stream);
    }
};

namespace nestbed::program
{

using Executable = std::shared_ptr<CUgraphExec_st>;

// ---- what kernels of a launch launch ----

enum class DeviceLaunch : std::uint8_t { tail, fire_and_forget, sibling };
struct GraphRequest {
    Executable executable;
    DeviceLaunch how;
    std::uint64_t captured; // what comes before it, for the observer
};
struct GraphRun {
    explicit GraphRun(Executable of) : executable(std::move(of)) {}

    Executable executable;
    std::mutex mutex{};
    std::vector<GraphRequest> requests{};

    std::vector<GraphRequest> take(bool tails)
    {
        const std::lock_guard lock(mutex);
        std::vector<GraphRequest> taken;
        std::vector<GraphRequest> rest;
        for (GraphRequest& request : requests)
            ((request.how == DeviceLaunch::tail) == tails ? taken : rest).push_back(std::move(request));
        requests = std::move(rest);
        return taken;
    }
};

namespace
{

thread_local std::shared_ptr<GraphRun> running;

struct Executables {
    std::mutex mutex; // kernels look, too
    std::map<cudaGraphExec_t, Executable> all;
    std::atomic<std::uint64_t> last = 0;
};
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

// Memory of graphs: the bytes in use, and by host's order of calls what is allocated.
struct GraphMemory {
    std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    std::set<void*> open{};
    void change(std::uint64_t bytes, bool begins)
    {
        used = begins ? used + bytes : used - std::min(used, bytes);
        used_high = std::max(used_high, used);
        reserved = std::max(reserved, used);
        reserved_high = std::max(reserved_high, reserved);
    }
};
GraphMemory& graph_memory()
{
    static GraphMemory& of_process = *new GraphMemory; // programs free memory in destructors
    return of_process;
}

// While it lives, what the calling thread launches is of the run.
class OfRun
{
  public:
    explicit OfRun(std::shared_ptr<GraphRun> run) : before_(std::exchange(running, std::move(run))) {}
    OfRun(const OfRun&) = delete;
    OfRun& operator=(const OfRun&) = delete;
    ~OfRun() { running = std::move(before_); }

  private:
    std::shared_ptr<GraphRun> before_;
};

cudaError_t run_nodes(const CUgraph_st& graph, cudaStream_t outer, const std::shared_ptr<GraphRun>& run);

unsigned value_of(const CUgraphNode_st& node)
{
    auto* const value = reinterpret_cast<unsigned*>(node.work.condition.handle); // NOLINT(performance-no-int-to-ptr)
    Operation("a conditional node", node.work.place, node.stream)
        .accesses({.begin = value, .width = sizeof *value}, false);
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

void run_condition(const CUgraphNode_st& node, const std::shared_ptr<GraphRun>& run)
{
    const auto body = [&](std::size_t number) {
        run_nodes(*node.inner[number], node.stream, run);
        run_all_works();
        finish_launches();
    };
    finish_launches();
    run_apart([&] {
        unsigned value = value_of(node);
        switch (node.work.condition.type) {
        case cudaGraphCondTypeIf:
            if (value != 0 || node.inner.size() == 2)
                body(value != 0 ? 0 : 1);
            break;
        case cudaGraphCondTypeWhile:
            for (; value != 0 && sticky_error() == cudaSuccess; value = value_of(node))
                body(0);
            break;
        case cudaGraphCondTypeSwitch:
            if (value < node.inner.size())
                body(value);
            break;
        }
    });
}

cudaError_t run_node(const CUgraphNode_st& node, const std::shared_ptr<GraphRun>& run)
{
    if (!node.enabled)
        return cudaSuccess;
    if (node.work.type == cudaGraphNodeTypeGraph)
        return run_nodes(*node.inner.front(), node.stream, run);
    if (node.work.type == cudaGraphNodeTypeConditional) {
        put_into(number_of(node.stream), [&node, run] { run_condition(node, run); }); // the run keeps the node
        return cudaSuccess;
    }
    const OfRun of_run(run);
    return node.work.put ? node.work.put(node.stream, node.shares_stream) : cudaSuccess;
}

// Of nodes in an order of their edges. `outer`: the stream in which the graph is.
cudaError_t run_nodes(const CUgraph_st& graph, cudaStream_t outer, const std::shared_ptr<GraphRun>& run)
{
    const Position begin = position_in(outer);
    std::map<const CUgraphNode_st*, Position> ends;
    std::set<const CUgraphNode_st*> last;
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        if (node->after.empty())
            follow(node->stream, begin);
        for (const Edge& edge : node->after) {
            last.erase(edge.from);
            if (!(node->shares_stream && edge.is_programmatic()))
                follow(node->stream, ends[edge.from]);
        }
        if (const cudaError_t error = run_node(*node, run); error != cudaSuccess)
            return error;
        last.insert(node.get());
        const bool only_next =
            node->next_in_stream != nullptr && node->next_in_stream->after.size() == 1 &&
            std::ranges::count_if(graph.nodes, [&](const auto& other) {
                return std::ranges::find(other->after, node.get(), &Edge::from) != other->after.end();
            }) == 1;
        if (!only_next) // to ask for it would wait for the node
            ends[node.get()] = position_in(node->stream);
    }
    for (const CUgraphNode_st* const node : last)
        follow(outer, ends[node]);
    return cudaSuccess;
}

// Once, in a stream: what the values of conditional handles are at the begin.
void assign_values(const CUgraph_st& graph, cudaStream_t stream)
{
    if (graph.values.empty())
        return;
    put_into(number_of(stream), [values = graph.values] {
        finish_launches();
        for (const CUgraph_st::Value& each : values)
            if (each.is_assigned)
                __atomic_store_n(each.value, each.first, __ATOMIC_RELAXED);
    });
}

cudaError_t run_graph(const Executable& executable, cudaStream_t stream, const std::shared_ptr<GraphRun>& run)
{
    follow(stream, position_in(executable->own)); // the launch before
    assign_values(*executable->graph, stream);
    const cudaError_t error = run_nodes(*executable->graph, stream, run);
    follow(executable->own, position_in(stream));
    return error;
}

void run_environment(const std::shared_ptr<GraphRun>& first, cudaStream_t stream, std::vector<Position>& siblings);

cudaError_t run_at_once(const Executable& executable, cudaStream_t stream, const std::shared_ptr<GraphRun>& run)
{
    const cudaError_t error = run_graph(executable, stream, run);
    run_all_works();
    finish_launches();
    return error;
}

// What kernels of the run have launched to run beside it. `siblings`: the ends of what the run need not wait for.
void run_beside(GraphRun& run, cudaStream_t stream, std::vector<Position>& siblings)
{
    for (std::vector<GraphRequest> requests = run.take(false); !requests.empty(); requests = run.take(false))
        for (const GraphRequest& request : requests) {
            const auto inner = std::make_shared<GraphRun>(request.executable);
            const cudaStream_t own = request.executable->own;
            follow(own, {.captured = request.captured});
            run_at_once(request.executable, own, inner);
            std::vector<Position> of_inner; // siblings of a child are children of this one
            run_environment(inner, own, of_inner);
            if (request.how == DeviceLaunch::sibling)
                siblings.push_back(position_in(own));
            else
                follow(stream, position_in(own));
            for (const Position& each : of_inner)
                follow(stream, each);
        }
}

// After the nodes of a launch: the graphs that its kernels have launched beside it, then its tail launches, each with its own before the
// next one (CUDA Programming Guide, "Device Graph Launch").
void run_environment(const std::shared_ptr<GraphRun>& first, cudaStream_t stream, std::vector<Position>& siblings)
{
    std::deque<GraphRequest> tails;
    const auto end_run = [&](GraphRun& run) {
        run_beside(run, stream, siblings);
        const std::vector<GraphRequest> more = run.take(true);
        tails.insert(tails.begin(), more.begin(), more.end());
    };
    end_run(*first);
    while (!tails.empty() && sticky_error() == cudaSuccess) {
        const auto run = std::make_shared<GraphRun>(tails.front().executable);
        tails.pop_front();
        run_at_once(run->executable, stream, run);
        end_run(*run);
    }
}

void run_requests(const std::shared_ptr<GraphRun>& first, cudaStream_t stream)
{
    finish_launches();
    run_apart([&] {
        std::vector<Position> siblings;
        run_environment(first, stream, siblings);
        for (const Position& end : siblings)
            follow(stream, end);
    });
}

cudaError_t launch_from_host(const Executable& executable, cudaStream_t stream, const void* place)
{
    if (!can_use_stream(stream))
        return wrong_stream("cudaGraphLaunch", place);
    const std::lock_guard lock(state().running);
    if (is_captured(stream)) {
        NodeWork work = graph_work(cudaGraphNodeTypeGraph, place);
        if (const cudaError_t error = capture(stream, std::move(work)); error != cudaSuccess)
            return error;
        return captured_graph(stream, *executable->graph);
    }
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    for (void* const memory : executable->unfreed)
        if (graph_memory().open.contains(memory) &&
            (executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) == 0)
            return noted_at(place, cudaErrorInvalidValue,
                            "cudaGraphLaunch: memory that the last launch of the graph has allocated is not freed "
                            "(cudaGraphInstantiateFlagAutoFreeOnLaunch would free it)");
    graph_memory().open.insert(executable->unfreed.begin(), executable->unfreed.end());
    executable->is_on_device = true;
    use_stream(stream);
    const auto run = std::make_shared<GraphRun>(executable);
    if (const cudaError_t error = run_graph(executable, stream, run); error != cudaSuccess)
        return error;
    put_into(number_of(stream), [run, stream] { run_requests(run, stream); });
    follow(executable->own, position_in(stream));
    return noted(sticky_error());
}

cudaError_t launch_from_kernel(const Executable& executable, cudaStream_t stream, const void* place)
{
    const auto refuse = [&](cudaError_t error, const char* why) {
        return noted_at(place, error, fmt::format("cudaGraphLaunch: {}", why));
    };
    const auto number = reinterpret_cast<std::uintptr_t>(stream);
    const auto first = reinterpret_cast<std::uintptr_t>(cudaStreamGraphTailLaunch);
    if (number < first || number > first + 2)
        return refuse(cudaErrorInvalidValue,
                      "a kernel launches a graph into cudaStreamGraphTailLaunch, cudaStreamGraphFireAndForget or "
                      "cudaStreamGraphFireAndForgetAsSibling");
    const std::shared_ptr<GraphRun> run = std::static_pointer_cast<GraphRun>(grid_of_running_thread()->graph_run);
    if (run == nullptr)
        return refuse(cudaErrorNotPermitted, "only a kernel of a graph can launch a graph");
    if (executable == nullptr || (executable->flags & cudaGraphInstantiateFlagDeviceLaunch) == 0)
        return refuse(cudaErrorInvalidValue,
                      "the graph was not instantiated with cudaGraphInstantiateFlagDeviceLaunch");
    if (!executable->is_on_device)
        return refuse(cudaErrorInvalidValue,
                      "the graph is not on the device; cudaGraphUpload(), or a launch by the host, brings it there");
    const auto how = static_cast<DeviceLaunch>(number - first);
    if (how != DeviceLaunch::tail && executable == run->executable)
        return refuse(cudaErrorInvalidValue, "a graph can launch itself into cudaStreamGraphTailLaunch only");
    constexpr std::size_t kMaxRequests =
        120; // fire and forget; of tail launches 255 (CUDA Programming Guide, "Device Graph Launch")
    const std::lock_guard lock(run->mutex);
    const auto same = std::ranges::count_if(run->requests, [&](const GraphRequest& each) {
        return (each.how == DeviceLaunch::tail) == (how == DeviceLaunch::tail);
    });
    if (static_cast<std::size_t>(same) >= (how == DeviceLaunch::tail ? 255 : kMaxRequests))
        return refuse(cudaErrorLaunchOutOfResources, "too many launches of graphs by one graph");
    const std::uint64_t captured =
        cpu::observer != nullptr && is_observed() ? cpu::observer->captures_thread(observed_thread()) : 0;
    run->requests.push_back({executable, how, captured});
    return cudaSuccess;
}

// In an order of their edges, and as the program has added them otherwise.
void sort(CUgraph_st& graph)
{
    std::vector<std::unique_ptr<CUgraphNode_st>> sorted;
    std::set<const CUgraphNode_st*> done;
    while (sorted.size() < done.size() + graph.nodes.size()) {
        bool any = false;
        for (std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
            if (node == nullptr ||
                !std::ranges::all_of(node->after, [&](const Edge& edge) { return done.contains(edge.from); }))
                continue;
            done.insert(node.get());
            sorted.push_back(std::move(node));
            any = true;
        }
        if (!any)
            break;
    }
    graph.nodes = std::move(sorted);
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes)
        for (const std::unique_ptr<CUgraph_st>& inner : node->inner)
            sort(*inner);
}

void give_streams(CUgraphExec_st& executable, const CUgraph_st& graph)
{
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        const bool is_kernel = node->work.type == cudaGraphNodeTypeKernel;
        for (const Edge& edge : node->after)
            if (is_kernel && !node->shares_stream && edge.data.type == cudaGraphDependencyTypeProgrammatic &&
                edge.from->next_in_stream == nullptr) {
                edge.from->next_in_stream = node.get();
                node->shares_stream = true;
                node->stream = edge.from->stream;
            }
        if (!node->shares_stream) {
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
    if (handle == nullptr || of == nullptr || (flags & ~kAll) != 0 ||
        ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0 &&
         (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0))
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("cudaGraphInstantiate: {}",
                                    of == nullptr ? "there is no such graph" : "no such flags, or no pointer"));
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
    });
    for_each_node(*made->graph, false, [&](const CUgraphNode_st& node, bool /*in_body*/) {
        if (node.work.type == cudaGraphNodeTypeMemFree)
            std::erase(made->unfreed, node.work.memory);
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

// change(work) changes what the node of the executable graph does from the next launch on.
template <class Change>
cudaError_t change_executable(const char* function, const void* place, cudaGraphExec_t handle, cudaGraphNode_t node,
                              cudaGraphNodeType type, const Change& change)
{
    const std::lock_guard lock(state().running);
    const Executable executable = executable_of(handle);
    const auto found =
        executable == nullptr ? decltype(executable->copies.find(node)){} : executable->copies.find(node);
    if (executable == nullptr || found == executable->copies.end() || found->second->work.type != type)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: the executable graph has no such node of this type", function));
    run_all_works(); // of launches before
    return change(*found->second);
}

template <class Make>
cudaError_t change_work(const char* function, const void* place, cudaGraphExec_t handle, cudaGraphNode_t node,
                        cudaGraphNodeType type, const Make& make)
{
    return change_executable(function, place, handle, node, type, [&](CUgraphNode_st& of) {
        NodeWork work = of.work;
        const cudaError_t error = make(work);
        work.place = of.work.place;
        if (error == cudaSuccess)
            of.work = std::move(work);
        return error;
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
            if (std::ranges::find(of.after, same[edge.from], [](const Edge& each) {
                    return static_cast<const CUgraphNode_st*>(each.from);
                }) == of.after.end())
                return differs(cudaGraphExecUpdateErrorTopologyChanged, &of);
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

cudaError_t null_pointer(const char* function, const void* place)
{
    return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: a pointer is NULL", function));
}

} // namespace

bool is_executable_graph(const void* word)
{
    const std::lock_guard lock(executables().mutex);
    return executables().all.contains(static_cast<cudaGraphExec_t>(const_cast<void*>(word))); // NOLINT(*-const-cast)
}

std::shared_ptr<GraphRun> running_graph()
{
    return running;
}

Position position_in(cudaStream_t stream)
{
    finish_launches();
    const std::uint64_t number = number_of(stream);
    return {.captured = cpu::observer == nullptr ? 0 : cpu::observer->captures(nullptr, number),
            .works = works_in(number)};
}

void follow(cudaStream_t stream, const Position& position)
{
    const std::uint64_t number = number_of(stream);
    let_wait(number, position.works);
    if (cpu::observer != nullptr)
        cpu::observer->stream_waits(nullptr, number, position.captured);
}

void graph_memory_is_free(void* memory)
{
    graph_memory().open.erase(memory);
}

void graph_memory_changes(std::size_t bytes, bool begins)
{
    graph_memory().change(bytes, begins);
}

// ---- what nodes do ----

NodeWork graph_work(cudaGraphNodeType type, const void* place)
{
    return {.type = type,
            .place = place,
            .name = type == cudaGraphNodeTypeGraph         ? "a child graph"
                    : type == cudaGraphNodeTypeConditional ? "a conditional node"
                                                           : "an empty node"};
}

cudaError_t kernel_work(NodeWork& work, const cudaKernelNodeParams& parameters, Place place)
{
    if (parameters.extra != nullptr)
        return noted(cudaErrorNotSupported,
                     fmt::format("{}: a kernel node with `extra`; the executor takes kernelParams", spelled(place)));
    const cudaLaunchConfig_t configuration = {
        parameters.gridDim, parameters.blockDim, parameters.sharedMemBytes, nullptr, nullptr, 0};
    const void* const before = work.place;
    TakenWork taken;
    if (const cudaError_t error =
            launch_by_address({&configuration, place.file, place.line}, parameters.func, parameters.kernelParams);
        error != cudaSuccess)
        return error;
    work = std::move(taken.work);
    work.place = before;
    work.kernel = parameters;
    const Parameters& of = *found_kernel(parameters.func).parameters;
    work.arguments = std::make_shared<KeptArguments>();
    for (unsigned index = 0; index < of.count; ++index) {
        const auto* const bytes = static_cast<const std::byte*>(parameters.kernelParams[index]);
        work.arguments->values.emplace_back(bytes, bytes + of.bytes[index]);
    }
    for (std::vector<std::byte>& value : work.arguments->values)
        work.arguments->addresses.push_back(value.data());
    work.kernel.kernelParams = work.arguments->addresses.data();
    return cudaSuccess;
}

cudaError_t copy_work(NodeWork& work, const char* function, const cudaMemcpy3DParms& parameters, const void* place)
{
    if (parameters.srcPtr.ptr == nullptr || parameters.dstPtr.ptr == nullptr)
        return null_pointer(function, place);
    work = {.type = cudaGraphNodeTypeMemcpy,
            .put = [=](cudaStream_t stream, bool) { return put_copy(function, parameters, stream, place); },
            .place = place,
            .name = fmt::format("{}()", function),
            .copy = parameters};
    return cudaSuccess;
}

cudaError_t fill_work(NodeWork& work, const char* function, const cudaMemsetParams& parameters, const void* place)
{
    const unsigned element = parameters.elementSize;
    if (parameters.dst == nullptr)
        return null_pointer(function, place);
    if (element != 1 && element != 2 && element != 4) // NOLINT(readability-magic-numbers)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: elements of {} bytes; allowed: 1, 2 and 4", function, element));
    work = {.type = cudaGraphNodeTypeMemset,
            .put = [=](cudaStream_t stream, bool) { return put_fill(function, parameters, stream, place); },
            .place = place,
            .name = fmt::format("{}()", function),
            .fill = parameters};
    return cudaSuccess;
}

cudaError_t host_work(NodeWork& work, const char* function, const cudaHostNodeParams& parameters, const void* place)
{
    if (parameters.fn == nullptr)
        return null_pointer(function, place);
    work = {
        .type = cudaGraphNodeTypeHost,
        .put = [=](cudaStream_t stream,
                   bool) { return put_call(stream, function, place, [=] { parameters.fn(parameters.userData); }); },
        .place = place,
        .name = fmt::format("{}()", function),
        .function = parameters};
    return cudaSuccess;
}

cudaError_t memory_work(NodeWork& work, const char* function, std::size_t bytes, const char* name, Place place,
                        const void* code)
{
    void* memory = nullptr;
    if (bytes == 0)
        return noted(cudaErrorInvalidValue);
    if (const cudaError_t error = allocate_for_graph(&memory, bytes, name, place); error != cudaSuccess)
        return error;
    work = {.type = cudaGraphNodeTypeMemAlloc,
            .put =
                [=](cudaStream_t stream, bool) {
                    put_into(number_of(stream), [=] {
                        finish_launches();
                        graph_memory_begins(memory, function, code, stream);
                    });
                    return cudaSuccess;
                },
            .place = code,
            .name = fmt::format("{}()", function),
            .memory = memory,
            .bytes = bytes};
    return cudaSuccess;
}

cudaError_t free_work(NodeWork& work, const char* function, void* memory, const void* place)
{
    const std::optional<Allocation> allocation = allocation_at(memory);
    if (!allocation || allocation->address() != memory || !allocation->is_of_graph)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: the address is not of memory that a graph allocates", function));
    work = {.type = cudaGraphNodeTypeMemFree,
            .put =
                [=](cudaStream_t stream, bool) {
                    graph_memory_is_free(memory);
                    put_into(number_of(stream), [=] {
                        finish_launches();
                        graph_memory_ends(memory, function, place, stream);
                    });
                    return cudaSuccess;
                },
            .place = place,
            .name = fmt::format("{}()", function),
            .memory = memory};
    return cudaSuccess;
}

NodeWork event_work(cudaGraphNodeType type, cudaEvent_t event, const void* place)
{
    const bool records = type == cudaGraphNodeTypeEventRecord;
    return {
        .type = type,
        .put = [=](cudaStream_t stream,
                   bool) { return records ? cudaEventRecord(event, stream) : cudaStreamWaitEvent(stream, event, 0); },
        .place = place,
        .name = records ? "cudaEventRecord()" : "cudaStreamWaitEvent()",
        .event = event};
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
    const std::lock_guard of_all(executables().mutex);
    return executables().all.erase(executable) == 1
               ? cudaSuccess
               : noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                          "cudaGraphExecDestroy: there is no such executable graph, or it was destroyed");
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

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    const void* const place = __builtin_return_address(0);
    const Executable of = executable_of(executable);
    if (nestbed::cpu::in_kernel())
        return nestbed::program::launch_from_kernel(of, stream, place);
    return of == nullptr ? noted_at(place, cudaErrorInvalidValue,
                                    "cudaGraphLaunch: there is no such executable graph, or it was destroyed")
                         : nestbed::program::launch_from_host(of, stream, place);
}

cudaGraphExec_t cudaGetCurrentGraphExec()
{
    const GridRecord* const grid = grid_of_running_thread();
    return grid == nullptr || grid->graph_run == nullptr
               ? nullptr
               : std::static_pointer_cast<GraphRun>(grid->graph_run)->executable.get();
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result)
{
    const std::lock_guard lock(state().running);
    const Executable of = executable_of(executable);
    const CUgraph_st* const from = graph_of(graph);
    if (of == nullptr || from == nullptr || result == nullptr)
        return noted(cudaErrorInvalidValue);
    run_all_works(); // of launches before
    std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
    const std::unique_ptr<CUgraph_st> sorted = copy_of(*from, copies);
    sort(*sorted);
    *result = {};
    if (const CUgraphNode_st* const node = differing(*of->graph, *sorted, result->result); node != nullptr) {
        result->errorNode = node->original;
        return noted(cudaErrorGraphExecUpdateFailure);
    }
    if (result->result != cudaGraphExecUpdateSuccess)
        return noted(cudaErrorGraphExecUpdateFailure);
    take_over(*of->graph, *sorted, of->copies);
    return cudaSuccess;
}

#define NESTBED_HERE __func__, __builtin_return_address(0)

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters, Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeKernel,
                       [&](NodeWork& work) { return kernel_work(work, *parameters, place); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeMemcpy,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return copy_work(work, "cudaGraphExecMemcpyNodeSetParams", *parameters, code);
                       });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = {const_cast<void*>(from), bytes, bytes, 1}; // NOLINT(*-const-cast): it is read
    parameters.dstPtr = {to, bytes, bytes, 1};
    parameters.extent = {bytes, 1, 1};
    parameters.kind = kind;
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeMemcpy,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return copy_work(work, "cudaGraphExecMemcpyNodeSetParams1D", parameters, code);
                       });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeMemset,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return fill_work(work, "cudaGraphExecMemsetNodeSetParams", *parameters, code);
                       });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeHost,
                       [&, code = __builtin_return_address(0)](NodeWork& work) {
                           return host_work(work, "cudaGraphExecHostNodeSetParams", *parameters, code);
                       });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child)
{
    const std::lock_guard lock(state().running);
    const CUgraph_st* const from = graph_of(child);
    if (from == nullptr)
        return noted(cudaErrorInvalidValue);
    const Executable of = executable_of(executable);
    return change_executable(NESTBED_HERE, executable, node, cudaGraphNodeTypeGraph, [&](CUgraphNode_st& own) {
        std::map<cudaGraphNode_t, cudaGraphNode_t> copies;
        const std::unique_ptr<CUgraph_st> sorted = copy_of(*from, copies);
        sort(*sorted);
        cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
        if (differing(*own.inner.front(), *sorted, result) != nullptr || result != cudaGraphExecUpdateSuccess)
            return noted(cudaErrorInvalidValue);
        take_over(*own.inner.front(), *sorted, of->copies);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event)
{
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeEventRecord, [&](NodeWork& work) {
        work = event_work(cudaGraphNodeTypeEventRecord, event, work.place);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event)
{
    return change_work(NESTBED_HERE, executable, node, cudaGraphNodeTypeWaitEvent, [&](NodeWork& work) {
        work = event_work(cudaGraphNodeTypeWaitEvent, event, work.place);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters, Place place)
{
    if (parameters == nullptr)
        return noted(cudaErrorInvalidValue);
    switch (parameters->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphExecKernelNodeSetParams(executable, node, &parameters->kernel, place);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(executable, node, &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphExecMemsetNodeSetParams(executable, node, &parameters->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphExecHostNodeSetParams(executable, node, &parameters->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphExecChildGraphNodeSetParams(executable, node, parameters->graph.graph);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecEventRecordNodeSetEvent(executable, node, parameters->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphExecEventWaitNodeSetEvent(executable, node, parameters->eventWait.event);
    default:
        return noted(cudaErrorInvalidValue);
    }
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled)
{
    const std::lock_guard lock(state().running);
    cudaGraphNodeType type = cudaGraphNodeTypeCount;
    if (const cudaError_t error = cudaGraphNodeGetType(node, &type); error != cudaSuccess)
        return error;
    if (type > cudaGraphNodeTypeMemset)
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        "cudaGraphNodeSetEnabled: only kernels, copies and sets can be disabled");
    return change_executable(NESTBED_HERE, executable, node, type, [&](CUgraphNode_st& own) {
        own.enabled = enabled != 0;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled)
{
    const std::lock_guard lock(state().running);
    const Executable of = executable_of(executable);
    if (of == nullptr || !of->copies.contains(node))
        return noted(cudaErrorInvalidValue);
    return give(enabled, of->copies[node]->enabled ? 1U : 0U, __builtin_return_address(0));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value)
{
    const std::lock_guard lock(state().running);
    const GraphMemory& of = graph_memory();
    if (device != 0 || value == nullptr || attribute > cudaGraphMemAttrReservedMemHigh)
        return noted(cudaErrorInvalidValue);
    run_all_works();
    const std::array<std::uint64_t, 4> values{of.used, of.used_high, of.reserved, of.reserved_high};
    *static_cast<std::uint64_t*>(value) = values.at(attribute);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value)
{
    const std::lock_guard lock(state().running);
    GraphMemory& of = graph_memory();
    const bool is_high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (device != 0 || value == nullptr || !is_high || *static_cast<std::uint64_t*>(value) != 0)
        return noted(cudaErrorInvalidValue);
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        of.used_high = of.used;
    else
        of.reserved_high = of.reserved;
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    const std::lock_guard lock(state().running);
    if (device != 0)
        return noted(cudaErrorInvalidDevice);
    graph_memory().reserved = graph_memory().used;
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
