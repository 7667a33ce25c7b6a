#include "program/runtime/memory.hpp"

#include "device/cpu/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#include <utility>

namespace nestbed::program
{

namespace
{

constexpr std::size_t kGuardBytes = 256; // also the alignment, as of CUDA
constexpr int kPoison = 0xFF;            // NaN as a float
constexpr unsigned char kGuardByte = 0xFB;

struct Heap {
    std::mutex mutex;
    std::map<std::uintptr_t, Allocation> by_begin;
    std::size_t device_bytes = 0; // of the kinds device and managed
};
Heap& heap()
{
    static Heap& of_process = *new Heap; // programs free memory in destructors
    return of_process;
}

std::size_t rounded(std::size_t bytes)
{
    return (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
}

bool is_of_device(MemoryKind kind)
{
    return kind == MemoryKind::device || kind == MemoryKind::managed;
}

void* address_of(const Allocation& allocation)
{
    return reinterpret_cast<void*>(allocation.begin); // NOLINT(performance-no-int-to-ptr)
}

// As a GPU's memory: at most half of the machine's.
std::size_t total_bytes()
{
    constexpr std::size_t kMaximum = std::size_t{8} << 30U;
    const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    return std::min(kMaximum, pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2);
}

std::string spelled(const Allocation& allocation)
{
    return fmt::format("{} ({} bytes)", allocation.name, allocation.bytes);
}

// Reports bytes of the guard zones that were overwritten, and repairs them.
void check_guard(const Allocation& allocation, const std::string& where)
{
    if (allocation.block == nullptr || cpu::observer != nullptr)
        return; // an observer reports the access itself
    const auto report = [&](unsigned char* zone, std::size_t bytes, const char* side) {
        const auto is_written = [](unsigned char byte) { return byte != kGuardByte; };
        const auto written = std::count_if(zone, zone + bytes, is_written);
        if (written == 0)
            return;
        const auto first = std::find_if(zone, zone + bytes, is_written) - zone;
        say(fmt::format(
            "{}: {} of the bytes {} {} were overwritten, from {} bytes {} on: an index is out of bounds", where,
            written, side, spelled(allocation),
            zone > static_cast<unsigned char*>(allocation.block) ? first : static_cast<std::ptrdiff_t>(bytes) - first,
            side));
        std::memset(zone, kGuardByte, bytes);
    };
    auto* const begin = static_cast<unsigned char*>(allocation.block);
    report(begin, kGuardBytes, "before");
    report(begin + kGuardBytes + allocation.bytes, rounded(allocation.bytes) - allocation.bytes + kGuardBytes,
           "behind");
}

void release(const Allocation& allocation)
{
    if (cpu::observer != nullptr)
        cpu::observer->forget(address_of(allocation));
    std::free(allocation.block); // NOLINT(cppcoreguidelines-no-malloc): of aligned_alloc()
}

void keep(Heap& of, const Allocation& allocation, std::size_t element_bytes, bool uninitialized)
{
    of.by_begin.emplace(allocation.begin, allocation);
    if (cpu::observer != nullptr)
        cpu::observer->memory({.begin = address_of(allocation),
                               .bytes = allocation.bytes,
                               .element = element_bytes,
                               .name = allocation.name,
                               .guard_bytes = allocation.block == nullptr ? 0 : kGuardBytes,
                               .uninitialized = uninitialized});
}

cudaError_t free_memory(void* memory, bool of_host)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (memory == nullptr)
        return cudaSuccess;
    finish_launches();
    Heap& of = heap();
    const std::unique_lock lock(of.mutex);
    const auto found = of.by_begin.find(reinterpret_cast<std::uintptr_t>(memory));
    const char* const function = of_host ? "cudaFreeHost" : "cudaFree";
    if (found == of.by_begin.end() || found->second.kind == MemoryKind::registered)
        return noted(cudaErrorInvalidValue,
                     fmt::format("{}({}): it is not the begin of an allocation, or it has been freed before",
                                 function, memory));
    if ((found->second.kind == MemoryKind::host) != of_host)
        return noted(cudaErrorInvalidValue,
                     fmt::format("{}({}): {} was not allocated by {}", function, memory, found->second.name,
                                 of_host ? "cudaMallocHost() or cudaHostAlloc()" : "cudaMalloc()"));
    const Allocation allocation = found->second;
    of.by_begin.erase(found);
    if (is_of_device(allocation.kind))
        of.device_bytes -= allocation.bytes;
    check_guard(allocation, function);
    release(allocation);
    return cudaSuccess;
}

} // namespace

cudaError_t allocate(void** memory, std::size_t bytes, std::size_t element_bytes, const char* name, MemoryKind kind)
{
    state(); // the observer begins before it is told of memory
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (memory == nullptr)
        return noted(cudaErrorInvalidValue, "an allocation has no pointer for its result");
    *memory = nullptr;
    if (bytes == 0)
        return kind == MemoryKind::managed ? noted(cudaErrorInvalidValue) : cudaSuccess;
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    const std::size_t total = total_bytes();
    if (bytes > total || (is_of_device(kind) && of.device_bytes + bytes > total))
        return noted(cudaErrorMemoryAllocation,
                     fmt::format("{} bytes for {} are too many: {} of {} bytes are allocated", bytes, name,
                                 of.device_bytes, total));
    void* const block = std::aligned_alloc(kGuardBytes, rounded(bytes) + 2 * kGuardBytes);
    if (block == nullptr)
        return noted(cudaErrorMemoryAllocation, fmt::format("{} bytes for {} could not be allocated", bytes, name));
    auto* const begin = static_cast<unsigned char*>(block) + kGuardBytes;
    std::memset(block, kGuardByte, kGuardBytes);
    std::memset(begin, environment().zero_memory ? 0 : kPoison, bytes);
    std::memset(begin + bytes, kGuardByte, rounded(bytes) - bytes + kGuardBytes);
    if (is_of_device(kind))
        of.device_bytes += bytes;
    // What the host writes directly is not seen.
    const bool uninitialized = kind == MemoryKind::device && !environment().zero_memory;
    keep(of,
         {.begin = reinterpret_cast<std::uintptr_t>(begin),
          .bytes = bytes,
          .kind = kind,
          .name = name,
          .block = block},
         element_bytes, uninitialized);
    *memory = begin;
    return cudaSuccess;
}

cudaError_t allocate_pitched(void** memory, std::size_t* pitch, std::size_t width, std::size_t height,
                             std::size_t element_bytes)
{
    constexpr std::size_t kPitch = 512; // as current GPUs have it
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return allocate(memory, *pitch * height, element_bytes, "pitched memory", MemoryKind::device);
}

std::optional<Allocation> allocation_at(const void* address)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    // Guard zones of neighbours do not overlap, but registered memory has none.
    const auto after = of.by_begin.upper_bound(at);
    if (after != of.by_begin.begin()) {
        const Allocation& before = std::prev(after)->second;
        const std::size_t guard = before.block == nullptr ? 0 : kGuardBytes;
        if (at < before.begin + before.bytes + guard)
            return before;
    }
    if (after != of.by_begin.end() && after->second.block != nullptr && at + kGuardBytes >= after->second.begin)
        return after->second;
    return {};
}

std::string why_not_usable(const void* address, std::size_t bytes, bool device)
{
    if (address == nullptr)
        return "the address is NULL";
    const std::optional<Allocation> allocation = allocation_at(address);
    if (allocation) {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        if (at >= allocation->begin && at + bytes <= allocation->begin + allocation->bytes)
            return "";
        return at < allocation->begin
                   ? fmt::format("the address is {} bytes before {}", allocation->begin - at, spelled(*allocation))
                   : fmt::format("{} bytes from offset {} on go beyond {}", bytes, at - allocation->begin,
                                 spelled(*allocation));
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

void free_all_memory()
{
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    for (const auto& [begin, allocation] : of.by_begin) {
        check_guard(allocation, "at the reset of the device");
        release(allocation);
    }
    of.by_begin.clear();
    of.device_bytes = 0;
}

void check_guards(const std::string& where)
{
    constexpr std::size_t kMaximum =
        256; // more take too long after each kernel; they are checked when they are freed
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    if (of.by_begin.size() > kMaximum)
        return;
    for (const auto& [begin, allocation] : of.by_begin)
        check_guard(allocation, where);
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
    return free_memory(memory, false);
}

cudaError_t cudaFreeHost(void* memory)
{
    return free_memory(memory, true);
}

cudaError_t cudaHostRegister(void* host, size_t bytes, unsigned /*flags*/)
{
    state();
    if (host == nullptr || bytes == 0)
        return noted(cudaErrorInvalidValue);
    if (allocation_at(host))
        return noted(cudaErrorHostMemoryAlreadyRegistered);
    const std::lock_guard lock(heap().mutex);
    keep(heap(),
         {.begin = reinterpret_cast<std::uintptr_t>(host),
          .bytes = bytes,
          .kind = MemoryKind::registered,
          .name = "registered host memory"},
         1, false);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* host)
{
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    const auto found = of.by_begin.find(reinterpret_cast<std::uintptr_t>(host));
    if (found == of.by_begin.end() || found->second.kind != MemoryKind::registered)
        return noted(cudaErrorHostMemoryNotRegistered);
    release(found->second);
    of.by_begin.erase(found);
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host)
{
    *flags = cudaHostAllocDefault;
    return allocation_at(host) ? cudaSuccess : noted(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total)
{
    const std::lock_guard lock(heap().mutex);
    *total = total_bytes();
    *free_bytes = *total - heap().device_bytes;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    const std::optional<Allocation> allocation = allocation_at(pointer);
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
