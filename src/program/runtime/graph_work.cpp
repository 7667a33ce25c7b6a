// What the nodes of graphs do: each kind of work, by its parameters.
#include "program/runtime/copies.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/kernel_limits.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <utility>

namespace nestbed::program
{

namespace
{

cudaError_t null_pointer(const char* function, const void* place)
{
    return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: a pointer is NULL", function));
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

template <class T>
cudaGraphNodeParams given_as(cudaGraphNodeType type, T cudaGraphNodeParams::*to, const T* from)
{
    cudaGraphNodeParams of = given(from == nullptr ? cudaGraphNodeTypeCount : type);
    if (from != nullptr)
        of.*to = *from;
    return of;
}

} // namespace

cudaGraphNodeParams given(cudaGraphNodeType type, cudaEvent_t event)
{
    cudaGraphNodeParams of = {};
    of.type = type;
    of.eventWait.event = event;
    return of;
}
cudaGraphNodeParams given(const cudaKernelNodeParams* parameters)
{
    return given_as(cudaGraphNodeTypeKernel, &cudaGraphNodeParams::kernel, parameters);
}
cudaGraphNodeParams given(const cudaMemcpy3DParms* parameters)
{
    cudaGraphNodeParams of = given(parameters == nullptr ? cudaGraphNodeTypeCount : cudaGraphNodeTypeMemcpy);
    if (parameters != nullptr)
        of.memcpy.copyParams = *parameters;
    return of;
}
cudaGraphNodeParams given(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    const cudaMemcpy3DParms parameters = one_row(to, from, bytes, kind);
    return given(&parameters);
}
cudaGraphNodeParams given(const cudaMemsetParams* parameters)
{
    return given_as(cudaGraphNodeTypeMemset, &cudaGraphNodeParams::memset, parameters);
}
cudaGraphNodeParams given(const cudaHostNodeParams* parameters)
{
    return given_as(cudaGraphNodeTypeHost, &cudaGraphNodeParams::host, parameters);
}
cudaGraphNodeParams given(const cudaMemAllocNodeParams* parameters)
{
    return given_as(cudaGraphNodeTypeMemAlloc, &cudaGraphNodeParams::alloc, parameters);
}

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
        parameters.gridDim,        parameters.blockDim,
        parameters.sharedMemBytes, nullptr,
        work.attributes.data(),    static_cast<unsigned>(work.attributes.size())};
    const void* const before = work.place;
    TakenWork taken;
    if (const cudaError_t error =
            launch_by_address({&configuration, place.file, place.line}, parameters.func, parameters.kernelParams);
        error != cudaSuccess)
        return error;
    work = std::move(taken.work);
    work.place = before;
    return cudaSuccess;
}

cudaError_t copy_work(NodeWork& work, const char* function, const cudaMemcpy3DParms& parameters, const void* place)
{
    if (parameters.srcPtr.ptr == nullptr || parameters.dstPtr.ptr == nullptr)
        return null_pointer(function, place);
    work = {.type = cudaGraphNodeTypeMemcpy,
            .put = [=](cudaStream_t stream, const NodeWork&,
                       bool) { return put_copy(function, parameters, stream, place); },
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
            .put = [=](cudaStream_t stream, const NodeWork&,
                       bool) { return put_fill(function, parameters, stream, place); },
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
        .put = [=](cudaStream_t stream, const NodeWork&,
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
                [=](cudaStream_t stream, const NodeWork&, bool) {
                    put_into(number_of(stream), [=] {
                        finish_launches();
                        graph_memory_begins(memory, function, code, stream);
                    });
                    return cudaSuccess;
                },
            .place = code,
            .name = fmt::format("{}()", function),
            .memory = memory,
            .bytes = bytes,
            .owner = owned_by_graphs(memory, bytes)};
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
                [=](cudaStream_t stream, const NodeWork&, bool) {
                    graph_memory_is_free(memory);
                    put_into(number_of(stream), [=] {
                        finish_launches();
                        graph_memory_ends(memory, function, place, stream);
                    });
                    return cudaSuccess;
                },
            .place = place,
            .name = fmt::format("{}()", function),
            .memory = memory,
            .owner = std::make_shared<bool>()};
    return cudaSuccess;
}

NodeWork event_work(cudaGraphNodeType type, cudaEvent_t event, const void* place)
{
    const bool records = type == cudaGraphNodeTypeEventRecord;
    return {
        .type = type,
        .put = [=](cudaStream_t stream, const NodeWork&,
                   bool) { return records ? cudaEventRecord(event, stream) : cudaStreamWaitEvent(stream, event, 0); },
        .place = place,
        .name = records ? "cudaEventRecord()" : "cudaStreamWaitEvent()",
        .event = event};
}

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
    case cudaGraphNodeTypeCount:
        return noted_at(code, cudaErrorInvalidValue, fmt::format("{}: the parameters are NULL", function));
    default:
        return noted_at(code, cudaErrorNotSupported,
                        fmt::format("{}: nodes of type {}; the executor has no semaphores of other programs",
                                    function, static_cast<int>(parameters.type)));
    }
}

} // namespace nestbed::program
