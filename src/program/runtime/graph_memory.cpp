// The memory that graphs allocate: how long it has its address, and how much is in use.
#include "program/runtime/graphs.hpp"

#include "program/runtime/state.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace nestbed::program
{

namespace
{

// Memory of graphs: the bytes in use, and what has an address.
struct GraphMemory {
    struct Memory {
        std::uint64_t bytes = 0;
        bool has_owner = true;
        bool is_open = false; // by the order of the host's calls
        bool is_used = false; // now
    };
    std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    std::map<void*, Memory> all{};
    unsigned resets = 0;

    Memory* at(void* memory)
    {
        const auto found = all.find(memory);
        return found == all.end() ? nullptr : &found->second;
    }
    void end_if_idle(void* memory)
    {
        const Memory* const of = at(memory);
        if (of == nullptr || of->has_owner || of->is_open || of->is_used)
            return;
        all.erase(memory);
        end_memory_of_graphs(memory);
    }
};
GraphMemory& graph_memory()
{
    static GraphMemory& of_process = *new GraphMemory; // programs free memory in destructors
    return of_process;
}

} // namespace

std::shared_ptr<void> owned_by_graphs(void* memory, std::size_t bytes)
{
    graph_memory().all[memory] = {.bytes = bytes};
    return {memory, [resets = graph_memory().resets](void* own) {
                const std::lock_guard lock(state().running);
                if (resets != graph_memory().resets)
                    return; // the address may be of something else
                graph_memory().at(own)->has_owner = false;
                graph_memory().end_if_idle(own);
            }};
}

bool is_graph_memory_open(void* memory)
{
    const GraphMemory::Memory* const of = graph_memory().at(memory);
    return of != nullptr && of->is_open;
}

void graph_memory_is_open(const std::vector<void*>& memory)
{
    for (void* const each : memory)
        graph_memory().at(each)->is_open = true;
}

void graph_memory_is_free(void* memory)
{
    if (GraphMemory::Memory* const of = graph_memory().at(memory); of != nullptr)
        of->is_open = false;
}

void graph_memory_changes(void* memory, bool begins)
{
    GraphMemory& all = graph_memory();
    GraphMemory::Memory* const of = all.at(memory);
    if (of == nullptr)
        return;
    if (begins != std::exchange(of->is_used, begins))
        all.used = begins ? all.used + of->bytes : all.used - of->bytes;
    all.used_high = std::max(all.used_high, all.used);
    all.reserved = std::max(all.reserved, all.used);
    all.reserved_high = std::max(all.reserved_high, all.reserved);
    all.end_if_idle(memory);
}

void forget_graph_memory()
{
    graph_memory() = {.resets = graph_memory().resets + 1};
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
