#include "program/runtime/heap.hpp"

#include "device/cpu/observer.hpp"
#include "program/runtime/device.hpp"
#include "program/runtime/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace nestbed::program
{

namespace
{

constexpr int kPoison = 0xFF; // NaN as a float
constexpr unsigned char kGuardByte = 0xFB;

std::size_t rounded(std::size_t bytes)
{
    return (bytes + kZoneBytes - 1) / kZoneBytes * kZoneBytes;
}

unsigned char* bytes_of(const Allocation& allocation)
{
    return static_cast<unsigned char*>(allocation.address());
}

// The bytes behind it that are checked, and that may be overwritten without harm.
std::size_t bytes_behind(const Allocation& allocation)
{
    return allocation.has_pages()
               ? static_cast<std::size_t>(allocation.pages.guard_behind() - bytes_of(allocation)) - allocation.bytes
               : rounded(allocation.bytes) - allocation.bytes + kZoneBytes;
}

std::size_t bytes_before(const Allocation& allocation)
{
    return allocation.has_pages()
               ? std::min(kZoneBytes, static_cast<std::size_t>(bytes_of(allocation) - allocation.pages.pages))
               : kZoneBytes;
}

} // namespace

std::string Allocation::spelled() const
{
    std::string text = fmt::format("{} ({} bytes", name, bytes);
    if (!place.empty())
        text += ", allocated at " + place;
    if (freed_at != nullptr)
        if (const std::string freed = source_of(static_cast<const char*>(freed_at) - 1); !freed.empty())
            text += ", freed at " + freed;
    return text + ")";
}

Heap& heap()
{
    static Heap& of_process = *new Heap; // programs free memory in destructors
    return of_process;
}

// With what the heap keeps of it. (Of 64 allocations of 1 MB, 6 fit into the 8 MB of an H200, and 7 here.)
std::size_t bytes_in_kernel_heap(std::size_t bytes)
{
    constexpr std::size_t kUnit = 16;
    return (bytes + kUnit - 1) / kUnit * kUnit + kUnit;
}

bool Heap::takes_for_kernel(std::size_t bytes, const char* name, Place place_of_call)
{
    const std::size_t limit = limit_value(cudaLimitMallocHeapSize);
    is_used_by_kernels = true;
    if (bytes <= limit && kernel_bytes + bytes_in_kernel_heap(bytes) <= limit) {
        kernel_bytes += bytes_in_kernel_heap(bytes);
        return true;
    }
    if (!std::exchange(is_full_said, true))
        say(fmt::format("{}: {} bytes for {} do not fit into the heap of kernels, of which {} of {} bytes are in "
                        "use: malloc() and new "
                        "return a null pointer, cudaMalloc() cudaErrorMemoryAllocation. "
                        "cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes) "
                        "before the first launch makes it larger. Later ones are not reported",
                        program::spelled(place_of_call), bytes, name, kernel_bytes, limit));
    return false;
}

void Heap::make(Allocation& allocation)
{
    unsigned char* begin = nullptr;
    const bool is_of_kernels = allocation.kind == MemoryKind::kernel_heap;
    if (with_pages_ < kMaxWithPages && (!is_of_kernels || of_kernels_with_pages_ < kMaxOfKernelsWithPages)) {
        try {
            allocation.pages = cpu::GuardedPages::map(allocation.bytes);
            begin = allocation.pages.last(allocation.bytes, kZoneBytes); // the alignment of CUDA
            ++with_pages_;
            of_kernels_with_pages_ += is_of_kernels ? 1 : 0;
        } catch (const std::bad_alloc&) { // no more addresses or mappings, as by `ulimit -v`
        }
    }
    if (begin == nullptr) {
        allocation.block = std::aligned_alloc(kZoneBytes, rounded(allocation.bytes) + 2 * kZoneBytes);
        if (allocation.block == nullptr)
            throw std::bad_alloc();
        begin = static_cast<unsigned char*>(allocation.block) + kZoneBytes;
    }
    allocation.begin = reinterpret_cast<std::uintptr_t>(begin);
    const std::size_t before = bytes_before(allocation);
    std::memset(begin - before, kGuardByte, before);
    std::memset(begin, environment().zero_memory ? 0 : kPoison, allocation.bytes);
    std::memset(begin + allocation.bytes, kGuardByte, bytes_behind(allocation));
    by_begin.emplace(allocation.begin, allocation);
}

void Heap::end(const Allocation& allocation, const void* freed_at)
{
    if (!allocation.has_pages()) {
        if (cpu::observer != nullptr)
            cpu::observer->forget(allocation.address());
        std::free(allocation.block); // NOLINT(cppcoreguidelines-no-malloc): of aligned_alloc()
        return;
    }
    --with_pages_;
    of_kernels_with_pages_ -= allocation.kind == MemoryKind::kernel_heap ? 1 : 0;
    if (cpu::observer != nullptr)
        cpu::observer->freed(allocation.address(), freed_at);
    allocation.pages.close();
    Allocation& kept = freed_.insert_or_assign(allocation.begin, allocation).first->second;
    kept.freed_at = freed_at;
    kept.is_opened = false;
    freed_order_.push_back(allocation.begin);
    if (freed_order_.size() <= kMaxFreed)
        return;
    const auto oldest = freed_.find(freed_order_.front());
    freed_order_.pop_front();
    if (cpu::observer != nullptr)
        cpu::observer->forget(oldest->second.address());
    oldest->second.pages.unmap();
    freed_.erase(oldest);
}

namespace
{

Allocation* found_in(std::map<std::uintptr_t, Allocation>& allocations, std::uintptr_t address)
{
    const auto after = allocations.upper_bound(address);
    if (after != allocations.begin())
        if (Allocation& before = std::prev(after)->second; before.has(address))
            return &before;
    return after != allocations.end() && after->second.has(address) ? &after->second : nullptr;
}

} // namespace

Allocation* Heap::at(std::uintptr_t address)
{
    return found_in(by_begin, address);
}

Allocation* Heap::freed_at(std::uintptr_t address)
{
    return found_in(freed_, address);
}

void check_guard(const Allocation& allocation, const std::string& where)
{
    if (allocation.guard_bytes() == 0 || allocation.is_opened || cpu::observer != nullptr)
        return; // an observer reports the access itself
    const auto report = [&](unsigned char* zone, std::size_t bytes, bool is_before) {
        const auto is_written = [](unsigned char byte) { return byte != kGuardByte; };
        const auto written = std::count_if(zone, zone + bytes, is_written);
        if (written == 0)
            return;
        const auto first = std::find_if(zone, zone + bytes, is_written) - zone;
        std::size_t last = bytes;
        while (!is_written(zone[last - 1]))
            --last;
        // As the race detector counts: how far the access reaches.
        const std::size_t reach = is_before ? bytes - static_cast<std::size_t>(first) : last;
        say(fmt::format("{}: {} of the bytes {} {} were overwritten, up to {} {} {}: an index is out of bounds",
                        where, written, is_before ? "before" : "behind", allocation.spelled(), reach,
                        reach == 1 ? "byte" : "bytes", is_before ? "before its beginning" : "past its end"));
        std::memset(zone, kGuardByte, bytes);
    };
    const std::size_t before = bytes_before(allocation);
    report(bytes_of(allocation) - before, before, true);
    report(bytes_of(allocation) + allocation.bytes, bytes_behind(allocation), false);
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

namespace
{

// Gives a guard, or freed memory, memory. What is near is not zero: a count that is read there would look right.
bool open_at(const Allocation& allocation, const void* address)
{
    constexpr std::size_t kNear = 64UL * 1024;
    const cpu::GuardedPages& pages = allocation.pages;
    if (!pages.is_guard(address)) {
        if (!pages.open())
            return false;
        std::memset(pages.pages, kPoison, pages.page_bytes);
        return true;
    }
    if (!pages.open_guard(address))
        return false;
    std::memset(address < pages.pages ? pages.pages - kNear : pages.guard_behind(), kGuardByte, kNear);
    return true;
}

} // namespace

bool report_outside_access(const void* address, std::optional<bool> write, const void* code)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Heap& of = heap();
    std::unique_lock lock(of.mutex);
    Allocation* const live = of.at(at);
    const bool is_outside = live != nullptr && live->has_pages() && live->pages.is_guard(address);
    Allocation* const found = is_outside ? live : live == nullptr ? of.freed_at(at) : nullptr;
    if (found == nullptr || !found->has_pages())
        return false;
    if (!open_at(*found, address))
        return false;
    const cpu::ThreadContext* const thread = cpu::current_thread;
    if (thread != nullptr && thread->observed != nullptr)
        return true; // the observer has reported it
    if (std::exchange(found->is_opened, true))
        return true;
    const Allocation of_message = *found;
    lock.unlock();
    const std::string line = source_of(code);
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(at - of_message.begin);
    const std::string kind = of_message.freed_at != nullptr ? "use after free" : "out of bounds";
    const std::string text =
        fmt::format("{}{}: {} of byte {} of {}", thread == nullptr ? "the host" : described(*thread),
                    line.empty() ? "" : ", at " + line,
                    !write   ? "access"
                    : *write ? "write"
                             : "read",
                    offset, of_message.spelled());
    note_finding({.kind = kind, .place = line, .text = text});
    say(fmt::format("{}: {}. Later ones are not reported; `nestbed races` reports all", kind, text));
    return true;
}

} // namespace nestbed::program
