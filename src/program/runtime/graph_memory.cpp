// The memory that graphs allocate: how much is in use.
#include "program/runtime/graphs.hpp"

#include "program/runtime/state.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace nestbed::program
{

namespace
{

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

} // namespace

bool is_graph_memory_open(void* memory)
{
    return graph_memory().open.contains(memory);
}

void graph_memory_is_open(const std::vector<void*>& memory)
{
    graph_memory().open.insert(memory.begin(), memory.end());
}

void graph_memory_is_free(void* memory)
{
    graph_memory().open.erase(memory);
}

void graph_memory_changes(std::size_t bytes, bool begins)
{
    graph_memory().change(bytes, begins);
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

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
