// Launches of graphs, by the host and by kernels.
#include "device/cpu/observer.hpp"
#include "program/runtime/error_texts.hpp"
#include "program/runtime/graph_executables.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

namespace nestbed::program
{

enum class DeviceLaunch : std::uint8_t { tail, fire_and_forget, sibling };
struct GraphRequest {
    Executable executable;
    DeviceLaunch how;
    cpu::Captured captured; // what comes before it
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

// An error of what no call of the host waits for.
void fails_late(cudaError_t error)
{
    if (error == cudaSuccess || sticky_error() != cudaSuccess)
        return;
    set_sticky_error(error);
    note_finding({.kind = "failed graph", .place = {}, .text = fmt::format("a graph failed: {}", error_name(error))});
}

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
        fails_late(run_nodes(*node.inner[number], node.stream, run));
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

// Once, in a stream: what the values of conditional handles are at the begin.
void assign_values(const CUgraph_st& graph, cudaStream_t stream)
{
    if (graph.values.empty())
        return;
    put_into(number_of(stream), [values = graph.values] {
        finish_launches();
        for (const CUgraph_st::Value& each : values)
            if (each.is_assigned)
                __atomic_store_n(static_cast<unsigned*>(each.value.get()), each.first, __ATOMIC_RELAXED);
    });
}

cudaError_t run_node(const CUgraphNode_st& node, const std::shared_ptr<GraphRun>& run)
{
    if (!node.enabled || node.work.type == cudaGraphNodeTypeEmpty) {
        put_into(number_of(node.stream), finish_launches); // kernels behind it come after those before it
        return cudaSuccess;
    }
    if (node.work.type == cudaGraphNodeTypeGraph) {
        assign_values(*node.inner.front(), node.stream);
        return run_nodes(*node.inner.front(), node.stream, run);
    }
    if (node.work.type == cudaGraphNodeTypeConditional) {
        put_into(number_of(node.stream), [&node, run] { run_condition(node, run); }); // the run keeps the node
        return cudaSuccess;
    }
    const OfRun of_run(run);
    return node.work.put(node.stream, node.work, std::ranges::any_of(node.after, &Edge::is_programmatic));
}

// Positions behind the nodes of a graph.
using Ends = std::map<const CUgraphNode_st*, Position>;

// The end of a node comes after those of the ones that it may overlap.
void follow_end(cudaStream_t stream, const CUgraphNode_st& last, Ends& ends)
{
    std::vector<const CUgraphNode_st*> open{&last};
    for (std::set<const CUgraphNode_st*> seen{&last}; !open.empty();) {
        const CUgraphNode_st* const node = open.back();
        open.pop_back();
        follow(stream, ends[node]);
        for (const Edge& edge : node->after)
            if (edge.is_early() && seen.insert(edge.from).second)
                open.push_back(edge.from);
    }
}

void follow_edge(const CUgraphNode_st& node, const Edge& edge, Ends& ends)
{
    if (!edge.is_early() || !node.enabled || !edge.from->enabled)
        return follow_end(node.stream, *edge.from, ends);
    const Position& begin = ends[edge.from];
    const std::uint64_t number = number_of(node.stream);
    let_wait(number, begin.works);
    if (cpu::observer != nullptr)
        cpu::observer->stream_overlaps(number, begin.captured,
                                       {.is_triggered = edge.data.from_port == cudaGraphKernelNodePortProgrammatic,
                                        .is_waited_for = edge.is_programmatic()});
}

// Of nodes in an order of their edges. `outer`: the stream in which the graph is.
cudaError_t run_nodes(const CUgraph_st& graph, cudaStream_t outer, const std::shared_ptr<GraphRun>& run)
{
    const Position begin = position_in(outer);
    Ends ends;
    std::set<const CUgraphNode_st*> last;
    cudaError_t error = cudaSuccess;
    for (const std::unique_ptr<CUgraphNode_st>& node : graph.nodes) {
        if (node->after.empty())
            follow(node->stream, begin);
        for (const Edge& edge : node->after) {
            last.erase(edge.from);
            follow_edge(*node, edge, ends);
        }
        error = run_node(*node, run);
        ends[node.get()] = position_in(node->stream, true);
        last.insert(node.get());
        if (error != cudaSuccess)
            break; // what runs is part of the launch
    }
    for (const CUgraphNode_st* const node : last)
        follow_end(outer, *node, ends);
    return error;
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

void run_at_once(const Executable& executable, cudaStream_t stream, const std::shared_ptr<GraphRun>& run)
{
    fails_late(run_graph(executable, stream, run));
    run_all_works();
    finish_launches();
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
    if (const cudaError_t error = refused_while_captured(stream, "cudaGraphLaunch", place); error != cudaSuccess)
        return error;
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const bool frees = (executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    if (!frees && std::ranges::any_of(executable->unfreed, is_graph_memory_open))
        return noted_at(place, cudaErrorInvalidValue,
                        "cudaGraphLaunch: memory that the last launch of the graph has allocated is not freed "
                        "(cudaGraphInstantiateFlagAutoFreeOnLaunch would free it)");
    if (!std::ranges::all_of(executable->freed, is_graph_memory_open))
        return noted_at(place, cudaErrorInvalidValue,
                        "cudaGraphLaunch: memory that the graph frees is not allocated: a launch of another graph "
                        "allocates it");
    executable->is_on_device = true;
    use_stream(stream);
    follow(stream, position_in(executable->own));
    for (void* const memory : executable->unfreed)
        if (is_graph_memory_open(memory))
            put_into(number_of(stream), [=] {
                finish_launches();
                graph_memory_ends(memory, "cudaGraphLaunch", place, stream);
            });
    graph_memory_is_open(executable->unfreed);
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
    run->requests.push_back(
        {executable, how,
         cpu::observer != nullptr && is_observed() ? cpu::observer->captures_thread(observed_thread()) : nullptr});
    return cudaSuccess;
}

} // namespace

std::shared_ptr<GraphRun> running_graph()
{
    return running;
}

Position position_in(cudaStream_t stream, bool may_run)
{
    if (!may_run)
        finish_launches();
    const std::uint64_t number = number_of(stream);
    return {.captured = cpu::observer == nullptr ? nullptr : cpu::observer->captures(nullptr, number),
            .works = works_in(number),
            .may_run = state().executor.is_running()};
}

void follow(cudaStream_t stream, const Position& position)
{
    if (position.may_run)
        finish_launches();
    const std::uint64_t number = number_of(stream);
    let_wait(number, position.works);
    if (cpu::observer != nullptr)
        cpu::observer->stream_waits(nullptr, number, position.captured);
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    const void* const place = __builtin_return_address(0);
    const Executable of = executable_of(executable);
    const bool from_kernel = nestbed::cpu::in_kernel();
    const cudaError_t error =
        from_kernel     ? nestbed::program::launch_from_kernel(of, stream, place)
        : of == nullptr ? noted_at(place, cudaErrorInvalidValue,
                                   "cudaGraphLaunch: there is no such executable graph, or it was destroyed")
                        : nestbed::program::launch_from_host(of, stream, place);
    state().ledger.add_graph_launch(from_kernel, error != cudaSuccess);
    return error;
}

cudaGraphExec_t cudaGetCurrentGraphExec()
{
    const GridRecord* const grid = grid_of_running_thread();
    return grid == nullptr || grid->graph_run == nullptr
               ? nullptr
               : std::static_pointer_cast<GraphRun>(grid->graph_run)->executable.get();
}
// NOLINTEND(readability-identifier-naming)
