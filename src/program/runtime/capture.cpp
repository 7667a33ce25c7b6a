// Capture of streams: what the host puts into them becomes nodes of a graph (CUDA Programming Guide, "Creating a Graph Using Stream
// Capture").
#include "program/runtime/graphs.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace nestbed::program
{

namespace
{

struct Capture {
    unsigned long long id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread{};
    std::uint64_t origin = 0;
    CUgraph_st* graph = nullptr;
    std::unique_ptr<CUgraph_st> own{}; // if it is not a graph of the program
    std::vector<cudaGraphNode_t> nodes{};
    bool is_valid = true;
    bool has_lost = false; // its graph or a node of it: addresses of either are not for use
};

struct CapturedStream {
    std::shared_ptr<Capture> capture;
    Edges next{};                   // what the next node comes after
    cudaGraphNode_t last = nullptr; // of this stream itself
    bool is_blocking = false;
    std::vector<cudaGraphNode_t> given{}; // by cudaStreamGetCaptureInfo()
    std::vector<cudaGraphEdgeData> given_edges{};
};

struct CapturedEvent {
    std::shared_ptr<Capture> capture;
    Edges at;
};

struct Captures {
    std::map<std::uint64_t, CapturedStream> streams;
    std::map<cudaEvent_t, CapturedEvent> events;
    unsigned long long last_id = 0;
};
Captures& captures()
{
    static Captures& of_process = *new Captures; // programs use streams in destructors
    return of_process;
}
std::atomic<unsigned> captured_streams = 0;

thread_local TakenWork* taken_work = nullptr;
thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

CapturedStream* captured_at(cudaStream_t stream)
{
    if (captured_streams == 0 || cpu::in_kernel())
        return nullptr;
    const auto found = captures().streams.find(number_of(stream));
    return found == captures().streams.end() ? nullptr : &found->second;
}

// Of the capture or, of nullptr, of those that the NULL stream waits for: blocking streams.
void invalidate(const Capture* one)
{
    for (auto& [stream, captured] : captures().streams)
        if (one == nullptr ? captured.is_blocking : captured.capture.get() == one)
            captured.capture->is_valid = false;
}

bool is_legacy(cudaStream_t stream)
{
    return number_of(stream) == 0;
}

bool any_blocking()
{
    return std::ranges::any_of(captures().streams, [](const auto& each) { return each.second.is_blocking; });
}

void end_capture(const Capture& capture)
{
    std::erase_if(captures().streams, [&](const auto& each) { return each.second.capture.get() == &capture; });
    std::erase_if(captures().events, [&](const auto& each) { return each.second.capture.get() == &capture; });
    captured_streams = static_cast<unsigned>(captures().streams.size());
}

void add(Edges& to, const Edges& more)
{
    for (const Edge& edge : more)
        if (std::ranges::find(to, edge.from, &Edge::from) == to.end())
            to.push_back(edge);
}

// The stream is part of the capture from now on.
void fork_into(cudaStream_t stream, const CapturedEvent& event)
{
    captures().streams[number_of(stream)] = {
        .capture = event.capture, .next = event.at, .is_blocking = is_blocking(stream)};
    captured_streams = static_cast<unsigned>(captures().streams.size());
}

// Nodes of the capture that nothing orders before `last`.
std::vector<cudaGraphNode_t> unjoined(const Capture& capture, const Edges& last)
{
    std::set<cudaGraphNode_t> joined;
    std::vector<cudaGraphNode_t> open;
    for (const Edge& edge : last)
        open.push_back(edge.from);
    while (!open.empty()) {
        const cudaGraphNode_t node = open.back();
        open.pop_back();
        if (!joined.insert(node).second)
            continue;
        for (const Edge& edge : node->after)
            open.push_back(edge.from);
    }
    std::vector<cudaGraphNode_t> rest;
    std::ranges::copy_if(capture.nodes, std::back_inserter(rest),
                         [&](cudaGraphNode_t node) { return !joined.contains(node); });
    return rest;
}

cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, CUgraph_st* graph, Edges after,
                          const char* function, const void* place)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (!can_use_stream(stream))
        return wrong_stream(function, place);
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: there is no capture mode {}", function, static_cast<int>(mode)));
    const std::lock_guard lock(state().running);
    if (is_legacy(stream))
        return noted_at(place, cudaErrorStreamCaptureUnsupported,
                        fmt::format("{}: the NULL stream cannot be captured; create a stream", function));
    if (captured_at(stream) != nullptr)
        return noted_at(place, cudaErrorIllegalState, fmt::format("{}: the stream is captured already", function));
    auto capture = std::make_shared<Capture>();
    capture->id = ++captures().last_id;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = number_of(stream);
    if (graph == nullptr) {
        capture->own = std::make_unique<CUgraph_st>();
        graph = capture->own.get();
        graphs().inner.emplace(graph, graph); // cudaStreamGetCaptureInfo() gives it
    }
    capture->graph = graph;
    fork_into(stream, {.capture = std::move(capture), .at = std::move(after)});
    return cudaSuccess;
}

cudaError_t end_of_capture(CapturedStream& captured, cudaStream_t stream, cudaGraph_t* graph, const void* place)
{
    const std::shared_ptr<Capture> capture = captured.capture;
    if (capture->origin != number_of(stream)) {
        invalidate(capture.get());
        return noted_at(place, cudaErrorStreamCaptureUnmatched,
                        "cudaStreamEndCapture: the capture did not begin in this stream");
    }
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
        return noted_at(place, cudaErrorStreamCaptureWrongThread,
                        "cudaStreamEndCapture: another thread has begun the capture; only one of mode relaxed can be "
                        "ended by another thread");
    std::vector<cudaGraphNode_t> open;
    if (capture->is_valid)
        open = unjoined(*capture, captured.next);
    end_capture(*capture);
    const std::string unjoined_work = open.empty() ? "" : open.front()->work.name;
    if ((!capture->is_valid || !open.empty()) && capture->own != nullptr)
        forget_graph(*capture->own);
    if (capture->has_lost)
        return noted_at(place, cudaErrorStreamCaptureInvalidated,
                        "cudaStreamEndCapture: the graph of the capture was destroyed before");
    if (!capture->is_valid)
        return noted(cudaErrorStreamCaptureInvalidated);
    if (!open.empty())
        return noted_at(place, cudaErrorStreamCaptureUnjoined,
                        fmt::format("cudaStreamEndCapture: {} of another stream is not joined to the stream of the "
                                    "capture (an event recorded behind it, for which this stream waits, would do)",
                                    unjoined_work));
    const bool is_new = capture->own != nullptr;
    if (is_new) {
        graphs().inner.erase(capture->graph);
        graphs().graphs.emplace(capture->graph, std::move(capture->own));
    }
    return graph == nullptr && !is_new ? cudaSuccess : give(graph, capture->graph, place);
}

cudaError_t invalidated(CapturedStream& captured, cudaError_t error, const std::string& text, const void* place)
{
    invalidate(captured.capture.get());
    return noted_at(place, error, text);
}

} // namespace

TakenWork::TakenWork()
{
    taken_work = this;
}
TakenWork::~TakenWork()
{
    taken_work = nullptr;
}

void forget_captures()
{
    captures() = {.last_id = captures().last_id};
    captured_streams = 0;
}

bool is_captured_into(const CUgraph_st& graph)
{
    return std::ranges::any_of(captures().streams,
                               [&](const auto& each) { return each.second.capture->graph == &graph; });
}

void forget_captures_into(const CUgraph_st& graph)
{
    for (auto& [stream, captured] : captures().streams)
        if (captured.capture->graph == &graph) {
            captured.capture->is_valid = false;
            captured.capture->has_lost = true;
        }
}

bool is_captured(cudaStream_t stream)
{
    if (cpu::in_kernel() || is_of_node(stream))
        return false;
    if (taken_work != nullptr)
        return true;
    if (captured_streams == 0)
        return false;
    const std::lock_guard lock(state().running);
    return captured_at(stream) != nullptr || (is_legacy(stream) && any_blocking());
}

cudaError_t capture(cudaStream_t stream, NodeWork work)
{
    if (taken_work != nullptr) {
        taken_work->work = std::move(work);
        return cudaSuccess;
    }
    const std::lock_guard lock(state().running);
    CapturedStream* const captured = captured_at(stream);
    if (captured == nullptr) {
        invalidate(nullptr);
        return noted_at(
            work.place, cudaErrorStreamCaptureImplicit,
            fmt::format("{} in the NULL stream, which waits for a blocking stream that is captured", work.name));
    }
    if (!captured->capture->is_valid)
        return noted(cudaErrorStreamCaptureInvalidated);
    Edges after = captured->next;
    for (Edge& edge : after) // for an event the stream waits
        if (work.programmatic && edge.from == captured->last && edge.from->work.type == cudaGraphNodeTypeKernel)
            edge.data = {cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};
    CUgraph_st& graph = *captured->capture->graph;
    if (const std::string why = why_not_node(graph, work, after); !why.empty())
        return invalidated(*captured, cudaErrorInvalidValue, fmt::format("{}: {}", work.name, why), work.place);
    captured->last = add_node(graph, std::move(work), std::move(after));
    captured->capture->nodes.push_back(captured->last);
    captured->next = {{.from = captured->last}};
    return cudaSuccess;
}

std::optional<cudaError_t> captures_record(cudaEvent_t event, cudaStream_t stream, unsigned flags, const void* place)
{
    if (cpu::in_kernel() || is_of_node(stream))
        return std::nullopt;
    if (captured_streams == 0 && captures().events.empty())
        return std::nullopt;
    const std::lock_guard lock(state().running);
    CapturedStream* const captured = captured_at(stream);
    if (captured == nullptr) {
        captures().events.erase(event);
        if (!is_legacy(stream) || !any_blocking())
            return std::nullopt;
        invalidate(nullptr);
        return noted_at(place, cudaErrorStreamCaptureImplicit,
                        "cudaEventRecord in the NULL stream, which waits for a blocking stream that is captured");
    }
    if (!captured->capture->is_valid)
        return noted(cudaErrorStreamCaptureInvalidated);
    if ((flags & cudaEventRecordExternal) != 0)
        return capture(stream, event_work(cudaGraphNodeTypeEventRecord, event, place));
    captures().events[event] = {.capture = captured->capture, .at = captured->next};
    return cudaSuccess;
}

std::optional<cudaError_t> captures_wait(cudaStream_t stream, cudaEvent_t event, unsigned flags, const void* place)
{
    if (cpu::in_kernel() || is_of_node(stream) || captured_streams == 0)
        return std::nullopt;
    const std::lock_guard lock(state().running);
    CapturedStream* const captured = captured_at(stream);
    const auto found = captures().events.find(event);
    const bool is_event_captured = found != captures().events.end();
    if (captured == nullptr) {
        if (!is_event_captured)
            return std::nullopt;
        if (!found->second.capture->is_valid)
            return noted(cudaErrorStreamCaptureInvalidated);
        if (is_legacy(stream)) {
            invalidate(found->second.capture.get());
            return noted_at(place, cudaErrorStreamCaptureImplicit,
                            "cudaStreamWaitEvent: the NULL stream cannot become part of a capture");
        }
        fork_into(stream, found->second);
        return cudaSuccess;
    }
    if (!captured->capture->is_valid)
        return noted(cudaErrorStreamCaptureInvalidated);
    if ((flags & cudaEventWaitExternal) != 0)
        return capture(stream, event_work(cudaGraphNodeTypeWaitEvent, event, place));
    if (!is_event_captured)
        return invalidated(*captured, cudaErrorStreamCaptureIsolation,
                           "cudaStreamWaitEvent: the stream is captured, and the event was recorded in a stream that "
                           "is not",
                           place);
    if (found->second.capture != captured->capture) {
        invalidate(found->second.capture.get());
        return invalidated(*captured, cudaErrorStreamCaptureMerge,
                           "cudaStreamWaitEvent: the stream and the event are of two captures", place);
    }
    add(captured->next, found->second.at);
    return cudaSuccess;
}

cudaError_t refused_while_captured(std::optional<cudaStream_t> stream, const char* function, const void* place,
                                   bool in_any_mode)
{
    if (captured_streams == 0 || cpu::in_kernel() || (stream && is_of_node(*stream)))
        return cudaSuccess;
    const std::lock_guard lock(state().running);
    const auto refuse = [&](const std::string& what) {
        return noted_at(place, cudaErrorStreamCaptureUnsupported,
                        fmt::format("{} while {}, which ends the capture", function, what));
    };
    if (stream) {
        CapturedStream* const captured = captured_at(*stream);
        if (captured == nullptr) {
            if (!is_legacy(*stream) || !any_blocking())
                return cudaSuccess;
            invalidate(nullptr);
            return noted_at(
                place, cudaErrorStreamCaptureImplicit,
                fmt::format("{} in the NULL stream, which waits for a blocking stream that is captured", function));
        }
        invalidate(captured->capture.get());
        return refuse("the stream is captured");
    }
    bool is_refused = false;
    for (auto& [number, captured] : captures().streams) {
        const bool is_own = captured.capture->thread == std::this_thread::get_id();
        const cudaStreamCaptureMode mode = captured.capture->mode;
        const bool is_allowed =
            mode_of_thread == cudaStreamCaptureModeRelaxed || mode == cudaStreamCaptureModeRelaxed ||
            (!is_own &&
             (mode == cudaStreamCaptureModeThreadLocal || mode_of_thread == cudaStreamCaptureModeThreadLocal));
        if (is_allowed && !in_any_mode)
            continue;
        captured.capture->is_valid = false;
        is_refused = true;
    }
    if (!is_refused)
        return cudaSuccess;
    return refuse(in_any_mode ? "a stream is captured"
                              : "a stream is captured (cudaStreamCaptureModeRelaxed would let it be)");
}

cudaError_t refused_allocation(const char* function)
{
    return refused_while_captured(std::nullopt, function, __builtin_return_address(0));
}

cudaError_t refused_of_captured(cudaEvent_t event, const char* function, const void* place)
{
    if (captured_streams == 0 || cpu::in_kernel())
        return cudaSuccess;
    const std::lock_guard lock(state().running);
    const auto found = captures().events.find(event);
    if (found == captures().events.end())
        return cudaSuccess;
    invalidate(found->second.capture.get());
    return noted_at(place, cudaErrorCapturedEvent,
                    fmt::format("{}: the event was recorded in a stream that is captured", function));
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    return begin_capture(stream, mode, nullptr, {}, __func__, __builtin_return_address(0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode)
{
    const std::lock_guard lock(state().running);
    const void* const place = __builtin_return_address(0);
    CUgraph_st* const of = graph_of(graph);
    if (of == nullptr || (count > 0 && dependencies == nullptr))
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("{}: {}", __func__, of == nullptr ? "there is no such graph" : "dependencies are NULL"));
    Edges after = edges_of(dependencies, edges, count);
    if (const std::string why = why_not_edges(*of, after); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}", __func__, why));
    return begin_capture(stream, mode, of, std::move(after), __func__, place);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph)
{
    const void* const place = __builtin_return_address(0);
    if (!can_use_stream(stream))
        return wrong_stream(__func__, place);
    const std::lock_guard lock(state().running);
    if (graph != nullptr)
        *graph = nullptr;
    CapturedStream* const captured = captured_at(stream);
    return captured == nullptr
               ? noted_at(place, cudaErrorIllegalState,
                          "cudaStreamEndCapture: the stream is not captured; cudaStreamBeginCapture() comes first")
               : end_of_capture(*captured, stream, graph, place);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status)
{
    const void* const place = __builtin_return_address(0);
    if (!can_use_stream(stream))
        return wrong_stream(__func__, place);
    const std::lock_guard lock(state().running);
    const CapturedStream* const captured = captured_at(stream);
    if (captured == nullptr && captured_streams != 0 && is_legacy(stream) && any_blocking())
        return noted(cudaErrorStreamCaptureImplicit);
    return give(status,
                captured == nullptr           ? cudaStreamCaptureStatusNone
                : captured->capture->is_valid ? cudaStreamCaptureStatusActive
                                              : cudaStreamCaptureStatusInvalidated,
                place);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    if (mode == nullptr)
        return noted(cudaErrorInvalidValue);
    *mode = std::exchange(mode_of_thread, *mode);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count)
{
    if (const cudaError_t error = cudaStreamIsCapturing(stream, status); error != cudaSuccess)
        return error;
    const std::lock_guard lock(state().running);
    CapturedStream* const captured = captured_at(stream);
    if (captured == nullptr || !captured->capture->is_valid)
        return cudaSuccess;
    captured->given.clear();
    captured->given_edges.clear();
    for (const Edge& edge : captured->next) {
        captured->given.push_back(edge.from);
        captured->given_edges.push_back(edge.data);
    }
    if (id != nullptr)
        *id = captured->capture->id;
    if (graph != nullptr)
        *graph = captured->capture->graph;
    if (dependencies != nullptr)
        *dependencies = captured->given.data();
    if (edges != nullptr)
        *edges = captured->given_edges.data();
    if (count != nullptr)
        *count = captured->given.size();
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, size_t count, unsigned flags)
{
    const void* const place = __builtin_return_address(0);
    const std::lock_guard lock(state().running);
    CapturedStream* const captured = captured_at(stream);
    if (captured == nullptr)
        return noted_at(place, cudaErrorIllegalState, fmt::format("{}: the stream is not captured", __func__));
    if (!captured->capture->is_valid)
        return noted(cudaErrorStreamCaptureInvalidated);
    if (flags > cudaStreamSetCaptureDependencies || (count > 0 && dependencies == nullptr))
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: flags {}, or dependencies are NULL; allowed: a "
                                    "cudaStreamUpdateCaptureDependenciesFlags",
                                    __func__, flags));
    const Edges given = edges_of(dependencies, edges, count);
    if (const std::string why = why_not_edges(*captured->capture->graph, given); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}", __func__, why));
    if (flags == cudaStreamSetCaptureDependencies)
        captured->next.clear();
    add(captured->next, given);
    // What the program has added to the graph itself must be joined, too.
    for (const Edge& edge : given)
        if (std::ranges::find(captured->capture->nodes, edge.from) == captured->capture->nodes.end())
            captured->capture->nodes.push_back(edge.from);
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
