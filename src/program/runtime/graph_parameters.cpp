// What nodes do, as the program asks for it and changes it: in graphs, and in executable graphs.
#include "program/runtime/graph_executables.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace nestbed::program
{

namespace
{

template <class T>
cudaError_t give_of(const char* function, const void* place, cudaGraphNode_t handle, cudaGraphNodeType type, T* to,
                    T NodeWork::*of)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(function, place, handle, type, node); error != cudaSuccess)
        return error;
    return give(to, node->work.*of, place);
}

// Of the node, or of what it has become in the executable graph.
cudaError_t set(const char* function, const void* code, std::optional<cudaGraphExec_t> executable,
                cudaGraphNode_t handle, cudaGraphNodeParams parameters, Place place = {})
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    const cudaGraphNodeType type = parameters.type;
    if (const cudaError_t error = executable ? with_executable_node(function, code, *executable, handle, type, node)
                                             : with_node(function, code, handle, type, node);
        error != cudaSuccess)
        return error;
    if (type == cudaGraphNodeTypeGraph && executable)
        return update_child(function, code, *executable, handle, parameters.graph.graph);
    if (type == cudaGraphNodeTypeGraph || type == cudaGraphNodeTypeConditional || type == cudaGraphNodeTypeMemAlloc ||
        type == cudaGraphNodeTypeMemFree)
        return noted_at(
            code, cudaErrorNotSupported,
            fmt::format("{}: {}; allowed: kernels, copies, sets, functions and events, and child graphs of "
                        "executable graphs",
                        function, node->work.name));
    NodeWork work = node->work;
    if (const cudaError_t error = work_of(work, function, parameters, place, code); error != cudaSuccess)
        return error;
    work.place = node->work.place;
    node->work = std::move(work);
    return cudaSuccess;
}

cudaError_t set_attribute(NodeWork& work, const char* function, const void* place,
                          const cudaLaunchAttribute& attribute)
{
    if (!can_have(attribute))
        return noted_at(place, cudaErrorNotSupported,
                        fmt::format("{}: launch attribute {}; the executor has no events of launches, and no nodes "
                                    "that kernels change",
                                    function, static_cast<int>(attribute.id)));
    std::erase_if(work.attributes, [&](const cudaLaunchAttribute& each) { return each.id == attribute.id; });
    work.attributes.push_back(attribute);
    return cudaSuccess;
}

} // namespace

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

// ---- kernels ----

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
            fmt::format(
                "{}: {}; the executor has no arguments of a kernel with a parameter that has no name, or of a "
                "library",
                __func__, of->work.name));
    return give(parameters, of->work.kernel, place);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters, Place place)
{
    return set(NESTBED_HERE, std::nullopt, node, given(parameters), place);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters, Place place)
{
    return set(NESTBED_HERE, executable, node, given(parameters), place);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeKernel, node);
        error != cudaSuccess)
        return error;
    const auto found = std::ranges::find(node->work.attributes, id, &cudaLaunchAttribute::id);
    return give(value, found == node->work.attributes.end() ? cudaLaunchAttributeValue{} : found->val,
                __builtin_return_address(0));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeKernel, node);
        error != cudaSuccess)
        return error;
    if (value == nullptr)
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        fmt::format("{}: the value is NULL", __func__));
    return set_attribute(node->work, NESTBED_HERE, {id, *value});
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* source = nullptr;
    CUgraphNode_st* target = nullptr;
    for (const auto& [handle, node] : {std::pair(from, &source), std::pair(to, &target)})
        if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeKernel, *node);
            error != cudaSuccess)
            return error;
    target->work.attributes = source->work.attributes;
    return cudaSuccess;
}

// ---- copies, sets and functions ----

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters)
{
    return give_of(NESTBED_HERE, node, cudaGraphNodeTypeMemcpy, parameters, &NodeWork::copy);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters)
{
    return set(NESTBED_HERE, std::nullopt, node, given(parameters));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters)
{
    return set(NESTBED_HERE, executable, node, given(parameters));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind)
{
    return set(NESTBED_HERE, std::nullopt, node, given(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind)
{
    return set(NESTBED_HERE, executable, node, given(to, from, bytes, kind));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters)
{
    return give_of(NESTBED_HERE, node, cudaGraphNodeTypeMemset, parameters, &NodeWork::fill);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters)
{
    return set(NESTBED_HERE, std::nullopt, node, given(parameters));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters)
{
    return set(NESTBED_HERE, executable, node, given(parameters));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters)
{
    return give_of(NESTBED_HERE, node, cudaGraphNodeTypeHost, parameters, &NodeWork::function);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters)
{
    return set(NESTBED_HERE, std::nullopt, node, given(parameters));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters)
{
    return set(NESTBED_HERE, executable, node, given(parameters));
}

// ---- events ----

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event)
{
    return give_of(NESTBED_HERE, node, cudaGraphNodeTypeEventRecord, event, &NodeWork::event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set(NESTBED_HERE, std::nullopt, node, given(cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event)
{
    return set(NESTBED_HERE, executable, node, given(cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event)
{
    return give_of(NESTBED_HERE, node, cudaGraphNodeTypeWaitEvent, event, &NodeWork::event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set(NESTBED_HERE, std::nullopt, node, given(cudaGraphNodeTypeWaitEvent, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event)
{
    return set(NESTBED_HERE, executable, node, given(cudaGraphNodeTypeWaitEvent, event));
}

// ---- graphs and memory ----

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t* graph)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* node = nullptr;
    if (const cudaError_t error = with_node(NESTBED_HERE, handle, cudaGraphNodeTypeGraph, node); error != cudaSuccess)
        return error;
    return give(graph, node->inner.front().get(), __builtin_return_address(0));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child)
{
    cudaGraphNodeParams of = given(cudaGraphNodeTypeGraph);
    of.graph.graph = child;
    return set(NESTBED_HERE, executable, node, of);
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
    return give_of(NESTBED_HERE, handle, cudaGraphNodeTypeMemFree, static_cast<void**>(memory), &NodeWork::memory);
}

// ---- nodes of any type ----

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters, Place place)
{
    return set(NESTBED_HERE, std::nullopt, node, parameters == nullptr ? given(cudaGraphNodeTypeCount) : *parameters,
               place);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters, Place place)
{
    return set(NESTBED_HERE, executable, node, parameters == nullptr ? given(cudaGraphNodeTypeCount) : *parameters,
               place);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* own = nullptr;
    if (const cudaError_t error = with_executable_node(NESTBED_HERE, executable, node, cudaGraphNodeTypeCount, own);
        error != cudaSuccess)
        return error;
    if (own->work.type > cudaGraphNodeTypeMemset)
        return noted_at(
            __builtin_return_address(0), cudaErrorInvalidValue,
            fmt::format("{}: {}; only kernels, copies and sets can be disabled", __func__, own->work.name));
    own->enabled = enabled != 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled)
{
    const std::lock_guard lock(state().running);
    CUgraphNode_st* own = nullptr;
    if (const cudaError_t error = with_executable_node(NESTBED_HERE, executable, node, cudaGraphNodeTypeCount, own);
        error != cudaSuccess)
        return error;
    return give(enabled, own->enabled ? 1U : 0U, __builtin_return_address(0));
}
// NOLINTEND(readability-identifier-naming)
