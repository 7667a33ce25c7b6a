// Memory with guards around it, and what is left of it after its end.
#pragma once

#include "device/cpu/guarded_pages.hpp"
#include "program/runtime/state.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace nestbed::program
{

// Before and behind memory that has no pages of its own.
inline constexpr std::size_t kZoneBytes = 256;

struct Allocation {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    std::string name;
    std::string place;              // FILE:LINE of the call
    cpu::GuardedPages pages{};      // of its own, or
    void* block = nullptr;          // memory with a zone on each side. Neither: the program's own memory, registered
    const void* freed_at = nullptr; // the address after the call that freed it; nullptr: it is not freed
    cudaMemPool_t pool = nullptr;   // of cudaMallocAsync()
    bool is_of_graph = false;       // whose nodes begin and end its use
    bool is_opened = false;         // something has accessed what is not its memory, which has been reported

    bool has_pages() const { return pages.pages != nullptr; }
    std::size_t guard_bytes() const
    {
        return has_pages() ? cpu::kMemoryGuardBytes : block != nullptr ? kZoneBytes : 0;
    }
    // The address is in it or in its guards.
    bool has(std::uintptr_t address) const { return address - (begin - guard_bytes()) < bytes + 2 * guard_bytes(); }
    void* address() const
    {
        return reinterpret_cast<void*>(begin); // NOLINT(performance-no-int-to-ptr)
    }
    // "d (400 bytes, allocated at my.cu:12)", and where it was freed.
    std::string spelled() const;
};

// Those with pages stay after their end, without memory, until kMaxFreed others have ended: an access there is reported.
class Heap
{
  public:
    static constexpr std::size_t kMaxFreed = 1024;
    // Each takes two mappings of a process, which has 65,530 by default (vm.max_map_count). More allocations have zones.
    static constexpr std::size_t kMaxWithPages = 16384;
    // The same of those of kernels, which may be many and small.
    static constexpr std::size_t kMaxOfKernelsWithPages = 1024;

    std::mutex mutex; // held by who calls
    std::map<std::uintptr_t, Allocation> by_begin;
    std::size_t device_bytes = 0;    // of the kinds device and managed
    std::size_t kernel_bytes = 0;    // of the kind kernel_heap
    bool is_full_said = false;       // that kernel_bytes can grow no further
    bool is_used_by_kernels = false; // something of that kind has been made since the last reset

    // Takes the bytes from the heap of kernels, or says once why it has not as many.
    bool takes_for_kernel(std::size_t bytes, const char* name, Place place_of_call);
    // Gives it memory, which is poisoned. Throws std::bad_alloc.
    void make(Allocation& allocation);
    // Takes its memory from an allocation that is in by_begin no longer.
    void end(const Allocation& allocation, const void* freed_at);
    // That is, or was, or whose guards are, at the address; nullptr: there is none.
    Allocation* at(std::uintptr_t address);
    Allocation* freed_at(std::uintptr_t address);

  private:
    std::map<std::uintptr_t, Allocation> freed_; // by begin
    std::deque<std::uintptr_t> freed_order_;
    std::size_t with_pages_ = 0; // that have not ended
    std::size_t of_kernels_with_pages_ = 0;
};
Heap& heap();

// What an allocation takes from the heap of kernels.
std::size_t bytes_in_kernel_heap(std::size_t bytes);

// Reports bytes around the allocation that were overwritten, and repairs them.
void check_guard(const Allocation& allocation, const std::string& where);

} // namespace nestbed::program
