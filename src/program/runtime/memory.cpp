#include "program/runtime/memory.hpp"

#include "device/cpu/observer.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/memory_pools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <unistd.h>
#include <utility>

namespace nestbed::program
{

namespace
{

bool is_of_device(MemoryKind kind)
{
    return kind == MemoryKind::device || kind == MemoryKind::container || kind == MemoryKind::managed;
}

// As a GPU's memory: at most half of the machine's.
std::size_t total_bytes()
{
    constexpr std::size_t kMaximum = std::size_t{8} << 30U;
    const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    return std::min(kMaximum, pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2);
}

cpu::HostAccess by_host(MemoryKind kind)
{
    switch (kind) {
    case MemoryKind::device:
    case MemoryKind::kernel_heap:
        return cpu::HostAccess::forbidden;
    case MemoryKind::managed:
    case MemoryKind::host:
    case MemoryKind::registered:
        return cpu::HostAccess::ordered;
    case MemoryKind::container:
        break;
    }
    return cpu::HostAccess::unchecked;
}

// `fill`: what the bytes are, if the observer must look at them to know whether the host has written there.
void tell_observer(const Allocation& allocation, std::size_t element_bytes, bool uninitialized,
                   std::optional<unsigned char> fill = std::nullopt)
{
    if (cpu::observer != nullptr)
        cpu::observer->memory({.begin = allocation.address(),
                               .bytes = allocation.bytes,
                               .element = element_bytes,
                               .name = allocation.name,
                               .place = allocation.place,
                               .guard_bytes = allocation.guard_bytes(),
                               .by_host = by_host(allocation.kind),
                               .uninitialized = uninitialized,
                               .fill = fill});
}

// A byte that programs hardly write to whole elements of managed memory, unlike 0xFF.
constexpr unsigned char kManagedFill = 0xF5;

std::string why_not_freed(Heap& of, const void* memory)
{
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    if (const Allocation* const freed = of.freed_at(at); freed != nullptr && at == freed->begin)
        return fmt::format("it has been freed before: {}", freed->spelled());
    if (const Allocation* const other = of.at(at); other != nullptr)
        return fmt::format("it is not the begin of an allocation, but byte {} of {}",
                           static_cast<std::ptrdiff_t>(at - other->begin), other->spelled());
    return "it is not the begin of an allocation, or it has been freed before";
}

// Returns why the memory cannot be freed; empty: it is freed.
std::string free_at(void* memory, bool of_host, const char* function, const void* place)
{
    Heap& of = heap();
    const std::unique_lock lock(of.mutex);
    const auto found = of.by_begin.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == of.by_begin.end() || found->second.kind == MemoryKind::registered)
        return why_not_freed(of, memory);
    const Allocation allocation = found->second;
    const bool is_of_kernels = allocation.kind == MemoryKind::kernel_heap;
    if (is_of_kernels != cpu::in_kernel()) {
        const char* const who = is_of_kernels ? "a kernel" : "the host";
        return fmt::format("{} was allocated by {}, and only {} can free it", allocation.spelled(), who, who);
    }
    if ((allocation.kind == MemoryKind::host) != of_host)
        return fmt::format("{} was not allocated by {}", allocation.spelled(),
                           of_host ? "cudaMallocHost() or cudaHostAlloc()" : "cudaMalloc()");
    of.by_begin.erase(found);
    if (is_of_device(allocation.kind))
        of.device_bytes -= allocation.bytes;
    if (allocation.pool != nullptr)
        give_back(allocation.pool, allocation.bytes);
    if (is_of_kernels)
        of.kernel_bytes -= bytes_in_kernel_heap(allocation.bytes);
    check_guard(allocation, function);
    of.end(allocation, place);
    return "";
}

// In the order of the stream, which the memory of a pool has; without one when the host has come here.
void ends_in(std::optional<cudaStream_t> stream, void* memory, const char* function, const void* place)
{
    const std::optional<Allocation> allocation = allocation_at(memory);
    if (!allocation || allocation->address() != memory || !(stream || allocation->pool != nullptr))
        return;
    const std::lock_guard lock(state().running);
    if (stream)
        use_stream(*stream);
    (stream ? Operation(function, place, *stream) : Operation(function, place))
        .accesses({.begin = memory, .width = allocation->bytes}, true);
}

// It keeps its address: the graph may be launched again.
void end_of_graph(const Allocation& allocation, const void* place)
{
    if (cpu::observer != nullptr)
        cpu::observer->freed(allocation.address(), place);
    graph_memory_changes(allocation.address(), false);
}

cudaError_t free_memory(void* memory, bool of_host, const void* place,
                        std::optional<cudaStream_t> stream = std::nullopt)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (memory == nullptr)
        return cudaSuccess;
    finish_works();
    const char* const function = of_host ? "cudaFreeHost" : stream ? "cudaFreeAsync" : "cudaFree";
    const std::unique_lock lock = locked_by_host();
    const std::optional<Allocation> allocation = allocation_at(memory);
    const bool is_of_graph = allocation && allocation->is_of_graph && allocation->address() == memory;
    if (is_of_graph && !is_graph_memory_open(memory))
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("{}: {} is not allocated now: a launch of its graph allocates it, unless the graph "
                        "frees it itself",
                        function, allocation->spelled()));
    if (!cpu::in_kernel() && !of_host && cpu::observer != nullptr)
        ends_in(stream, memory, function, place);
    if (is_of_graph) {
        graph_memory_is_free(memory);
        end_of_graph(*allocation, place);
        return cudaSuccess;
    }
    if (const std::string why = free_at(memory, of_host, function, place); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}({}): {}", function, memory, why));
    return cudaSuccess;
}

} // namespace

cudaError_t allocate(void** memory, std::size_t bytes, std::size_t element_bytes, const char* name, Place place,
                     MemoryKind kind)
{
    state(); // the observer begins before it is told of memory
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (memory == nullptr)
        return noted(cudaErrorInvalidValue, "an allocation has no pointer for its result");
    observe_write(memory, sizeof(void*), __builtin_return_address(0));
    *memory = nullptr;
    const bool is_call_of_cuda = kind != MemoryKind::kernel_heap;
    if (cpu::in_kernel())
        kind = MemoryKind::kernel_heap;
    if (bytes == 0)
        return kind == MemoryKind::managed ? noted(cudaErrorInvalidValue) : cudaSuccess;
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    if (kind == MemoryKind::kernel_heap && !of.takes_for_kernel(bytes, name, place))
        return is_call_of_cuda ? noted(cudaErrorMemoryAllocation) : cudaErrorMemoryAllocation;
    const std::size_t total = total_bytes();
    if (bytes > total || (is_of_device(kind) && of.device_bytes + bytes > total))
        return noted(cudaErrorMemoryAllocation,
                     fmt::format("{} bytes for {} are too many: {} of {} bytes are allocated", bytes, name,
                                 of.device_bytes, total));
    Allocation allocation{.bytes = bytes, .kind = kind, .name = name, .place = place.line == 0 ? "" : spelled(place)};
    try {
        of.make(allocation);
    } catch (const std::bad_alloc&) {
        return noted(cudaErrorMemoryAllocation, fmt::format("{} bytes for {} could not be allocated", bytes, name));
    }
    if (is_of_device(kind))
        of.device_bytes += bytes;
    // The host writes managed memory itself, and not all of that is seen: what is no longer the fill has been written.
    const bool is_managed = kind == MemoryKind::managed;
    std::optional<unsigned char> fill;
    if (is_managed && cpu::observer != nullptr && !environment().zero_memory) {
        fill = kManagedFill;
        std::memset(allocation.address(), kManagedFill, bytes);
    }
    const bool is_unwritten = is_managed || kind == MemoryKind::device || kind == MemoryKind::kernel_heap;
    tell_observer(allocation, element_bytes, is_unwritten && !environment().zero_memory, fill);
    *memory = allocation.address();
    return cudaSuccess;
}

cudaError_t allocate_for_graph(void** memory, std::size_t bytes, const char* name, Place place)
{
    if (const cudaError_t error = allocate(memory, bytes, 1, name, place, MemoryKind::device); error != cudaSuccess)
        return error;
    const std::lock_guard lock(heap().mutex);
    heap().at(reinterpret_cast<std::uintptr_t>(*memory))->is_of_graph = true;
    return cudaSuccess;
}

void end_memory_of_graphs(void* memory)
{
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    const auto found = of.by_begin.extract(reinterpret_cast<std::uintptr_t>(memory));
    if (found.empty())
        return;
    of.device_bytes -= found.mapped().bytes;
    check_guard(found.mapped(), "at the end of a graph");
    of.end(found.mapped(), nullptr);
}

void graph_memory_begins(void* memory, const char* function, const void* place, cudaStream_t stream)
{
    const std::optional<Allocation> allocation = allocation_at(memory);
    if (!allocation)
        return; // the device was reset
    graph_memory_changes(memory, true);
    if (cpu::observer == nullptr)
        return;
    cpu::observer->forget(memory);
    tell_observer(*allocation, 1, !environment().zero_memory);
    Operation(function, place, stream).accesses({.begin = memory, .width = allocation->bytes}, true);
}

void graph_memory_ends(void* memory, const char* function, const void* place, cudaStream_t stream)
{
    const std::optional<Allocation> allocation = allocation_at(memory);
    if (!allocation)
        return;
    Operation(function, place, stream).accesses({.begin = memory, .width = allocation->bytes}, true);
    end_of_graph(*allocation, place);
}

cudaError_t allocate_pitched(void** memory, std::size_t* pitch, std::size_t width, std::size_t height,
                             std::size_t element_bytes, const char* name, Place place)
{
    constexpr std::size_t kPitch = 512; // as current GPUs have it
    if (const cudaError_t error = give(pitch, (width + kPitch - 1) / kPitch * kPitch, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    return allocate(memory, *pitch * height, element_bytes, name, place, MemoryKind::device);
}

std::optional<Allocation> allocation_at(const void* address)
{
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    const Allocation* const found = of.at(reinterpret_cast<std::uintptr_t>(address));
    return found == nullptr ? std::nullopt : std::optional(*found);
}

std::string why_not_usable(const void* address, std::size_t bytes, bool device)
{
    if (address == nullptr)
        return "the address is NULL";
    const std::optional<Allocation> allocation = allocation_at(address);
    if (allocation && allocation->kind == MemoryKind::kernel_heap && !cpu::in_kernel())
        return fmt::format("a kernel has allocated {}, and only kernels can use it", allocation->spelled());
    if (allocation) {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        if (at >= allocation->begin && at + bytes <= allocation->begin + allocation->bytes)
            return "";
        return at < allocation->begin
                   ? fmt::format("the address is {} bytes before {}", allocation->begin - at, allocation->spelled())
                   : fmt::format("{} bytes from offset {} on go beyond {}", bytes, at - allocation->begin,
                                 allocation->spelled());
    }
    {
        Heap& of = heap();
        const std::lock_guard lock(of.mutex);
        if (const Allocation* const freed = of.freed_at(reinterpret_cast<std::uintptr_t>(address)))
            return fmt::format("it has been freed: {}", freed->spelled());
    }
    if (!device)
        return "";
    // __device__ and __constant__ variables are variables of the program.
    Dl_info object{};
    return dladdr(address, &object) != 0 ? ""
                                         : fmt::format("{} is not memory of the device (exchanged arguments, a wrong "
                                                       "kind of copy, or freed memory?)",
                                                       address);
}

void host_wrote(void* begin, std::size_t bytes)
{
    if (cpu::observer != nullptr)
        cpu::observer->host_wrote(begin, bytes);
}

void free_all_memory(const void* place)
{
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    for (const auto& [begin, allocation] : of.by_begin) {
        check_guard(allocation, "at the reset of the device");
        of.end(allocation, place);
    }
    of.by_begin.clear();
    forget_pools();
    of.device_bytes = of.kernel_bytes = 0;
    of.is_used_by_kernels = false;
}

std::string free_in_kernel(void* memory, const void* place)
{
    return free_at(memory, false, "free", place);
}

bool is_global(const void* address)
{
    return allocation_at(address).has_value() || why_not_usable(address, 1, true).empty();
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaFree(void* memory)
{
    if (const cudaError_t error = refused_while_captured(std::nullopt, __func__, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    return free_memory(memory, false, __builtin_return_address(0));
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream)
{
    const void* const place = __builtin_return_address(0);
    if (!can_use_stream(stream))
        return wrong_stream(__func__, place);
    if (!is_captured(stream))
        return free_memory(memory, false, place, stream);
    NodeWork work;
    const cudaError_t error = free_work(work, "cudaFreeAsync", memory, place);
    return error == cudaSuccess ? capture(stream, std::move(work)) : error;
}

cudaError_t cudaFreeHost(void* memory)
{
    return free_memory(memory, true, __builtin_return_address(0));
}

cudaError_t cudaHostRegister(void* host, size_t bytes, unsigned /*flags*/)
{
    if (host == nullptr || bytes == 0)
        return noted(cudaErrorInvalidValue);
    if (allocation_at(host))
        return noted(cudaErrorHostMemoryAlreadyRegistered);
    const std::lock_guard lock(heap().mutex);
    const Allocation allocation{.begin = reinterpret_cast<std::uintptr_t>(host),
                                .bytes = bytes,
                                .kind = MemoryKind::registered,
                                .name = "registered host memory",
                                .place = {}};
    heap().by_begin.emplace(allocation.begin, allocation);
    tell_observer(allocation, 1, false);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* host)
{
    finish_works();
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    const auto found = of.by_begin.find(reinterpret_cast<std::uintptr_t>(host));
    if (found == of.by_begin.end() || found->second.kind != MemoryKind::registered)
        return noted(cudaErrorHostMemoryNotRegistered);
    of.end(found->second, nullptr);
    of.by_begin.erase(found);
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host)
{
    return allocation_at(host) ? give(flags, cudaHostAllocDefault, __builtin_return_address(0))
                               : noted(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total)
{
    const std::lock_guard lock(heap().mutex);
    const std::size_t all = total_bytes();
    const void* const place = __builtin_return_address(0);
    if (const cudaError_t error = give(total, all, place); error != cudaSuccess)
        return error;
    return give(free_bytes, all - heap().device_bytes, place);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    const std::optional<Allocation> allocation = allocation_at(pointer);
    observe_write(attributes, sizeof *attributes, __builtin_return_address(0));
    *attributes = {
        .type = cudaMemoryTypeUnregistered, .device = -2, .devicePointer = nullptr, .hostPointer = nullptr};
    void* const same = const_cast<void*>(pointer);
    if (!allocation) {
        attributes->hostPointer = same;
        return cudaSuccess;
    }
    attributes->device = 0;
    attributes->devicePointer = same;
    switch (allocation->kind) {
    case MemoryKind::device:
    case MemoryKind::kernel_heap:
    case MemoryKind::container:
        attributes->type = cudaMemoryTypeDevice;
        break;
    case MemoryKind::managed:
        attributes->type = cudaMemoryTypeManaged;
        attributes->hostPointer = same;
        break;
    case MemoryKind::host:
    case MemoryKind::registered:
        attributes->type = cudaMemoryTypeHost;
        attributes->hostPointer = same;
        break;
    }
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
