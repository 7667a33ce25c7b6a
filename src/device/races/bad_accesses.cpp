// What the detector says of accesses that are wrong by themselves: outside of the memory that it knows, and others.
#include "device/cpu/own_memory.hpp"
#include "device/races/detector.hpp"
#include "device/races/mapped_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed::races
{

// Of managed memory, which a program may take for zero.
constexpr std::string_view kOnGpu = " (a GPU's managed memory is zero at first, which CUDA does not promise)";

void Detector::found_bad(BadAccess::Kind kind, const Access& access, const Region& region, std::ptrdiff_t offset,
                         std::size_t bytes, std::ptrdiff_t beyond)
{
    const std::tuple key(kind, access.site, access.kind);
    auto known = found_bad_.find(key);
    if (known == found_bad_.end())
        known = found_bad_
                    .emplace(
                        key,
                        FoundBad{.access = access,
                                 .memory = region.spelled(offset),
                                 .bytes = bytes,
                                 .beyond = beyond,
                                 .allocation =
                                     region.allocation() +
                                     std::string(kind == BadAccess::Kind::uninitialized && region.fill ? kOnGpu : ""),
                                 .freed = region.freed_at == nullptr ? SourcePlace{} : source_place(region.freed_at),
                                 .count = 0})
                    .first;
    ++known->second.count;
}

// nullptr: the block has no shared memory.
Region* Detector::nearest_shared(const WatchedBlock& block, std::uintptr_t address)
{
    Region* nearest = nullptr;
    std::uintptr_t least = ~std::uintptr_t{0};
    for (const void* const begin : block.shared) {
        const auto at = reinterpret_cast<std::uintptr_t>(begin);
        if (const std::uintptr_t distance = std::max(at, address) - std::min(at, address); distance < least) {
            least = distance;
            nearest = shadow_.find(at);
        }
    }
    return nearest;
}

bool Detector::has_memory_now(std::uintptr_t address)
{
    const std::uintptr_t page = address / kPageBytes;
    std::uintptr_t& known = pages_[page % pages_.size()];
    if (known != page && has_memory(address))
        known = page;
    return known == page;
}

void Detector::accesses_unknown(const WatchedThread& thread, std::uintptr_t address, std::size_t bytes,
                                AccessKind kind, const void* place)
{
    const auto* const at = reinterpret_cast<const void*>(address); // NOLINT(performance-no-int-to-ptr)
    if (cpu::is_of_running_thread(at))
        return;
    const Access now = made_by(thread, kind, place, false);
    const bool is_stack = cpu::is_on_stack_of_thread(at);
    if (!is_stack && !has_memory_now(address)) {
        if (cpu::current_thread->program.grid == nullptr)
            return;                              // of a strategy: the signal will say so
        constexpr std::uintptr_t kMember = 4096; // bytes: no member of a structure is further away
        const std::string text =
            fmt::format("address {:#x}{}", address, address < kMember ? ", of a null pointer" : "");
        found_bad(BadAccess::Kind::nowhere, now, Region{.name = text, .is_of_host = true}, 0, bytes, 0);
        is_last(now, address);
        illegal_ = last_access_of(text) + ", where no memory is: an illegal access, which ends the kernel";
        return;
    }
    if (!sites_.is_of_user(now.site) || cpu::current_thread->has_arguments || is_of_module(address))
        return;
    static const Region nobodys{.name = "memory that is not the device's", .is_of_host = true};
    const Region* const before = shadow_.before(address);
    const bool is_argument = !is_stack && before != nullptr && before->is_of_host && !before->is_variable;
    found_bad(is_stack ? BadAccess::Kind::other_stack : BadAccess::Kind::of_host, now,
              is_argument ? *before : nobodys, 0, bytes, 0);
    is_last(now, address);
    // What the program has for the kernel itself is no memory of the executor.
    if (writes(kind) && !is_stack && !is_argument)
        illegal_ = last_access_of("memory of the host") + ": an illegal access, which ends the kernel";
}

// Of the program's variables, one that has no region of its own.
bool Detector::is_beyond_variables(const Access& now, std::uintptr_t address, std::size_t bytes, const Region& region)
{
    const bool is_of_library = are_of_library(address, bytes);
    const NearVariable near = near_variable(address, bytes);
    if (near.beyond == 0 || (is_of_library && !sites_.is_of_user(now.site))) // headers use the library's variables
        return false;
    const Region* const known = shadow_.nearest_variable(address);
    const Region& of = known == nullptr ? region : *known;
    const auto offset = static_cast<std::ptrdiff_t>(address - of.begin);
    const std::ptrdiff_t behind = offset + static_cast<std::ptrdiff_t>(bytes - of.bytes);
    found_bad(BadAccess::Kind::out_of_bounds, now, of, offset, bytes,
              known == nullptr ? near.beyond
              : offset < 0     ? offset
                               : behind);
    if (is_of_library && writes(now.kind))
        illegal_ = last_access_of(of.spelled(offset)) +
                   ", where memory of the executor is: an illegal access, which ends the kernel";
    return true;
}

void Detector::accesses_beyond_local(const WatchedThread& thread, std::ptrdiff_t offset, std::size_t bytes,
                                     const LocalVariable& variable, AccessKind kind, const void* place)
{
    constexpr std::ptrdiff_t kNear = 256; // on the thread's stack, whose end is not far: a read there harms nothing
    if (full_)
        return;
    const Region region{.bytes = variable.bytes, .element = variable.element, .name = variable.name};
    const std::ptrdiff_t behind =
        offset + static_cast<std::ptrdiff_t>(bytes) - static_cast<std::ptrdiff_t>(variable.bytes);
    const Access now = made_by(thread, kind, place, false);
    is_last(now, 0);
    found_bad(BadAccess::Kind::out_of_bounds, now, region, offset, bytes, offset < 0 ? offset : behind);
    if (writes(kind) || offset < -kNear || behind > kNear)
        illegal_ = last_access_of(region.spelled(offset)) + ", which is not in the local variable: the kernel ends";
}

void Detector::accesses_misaligned(const WatchedThread& thread, std::uintptr_t address, std::size_t bytes,
                                   AccessKind kind, std::size_t alignment, const void* place)
{
    const Region* const region = full_ ? nullptr : shadow_.find(address);
    if (region == nullptr)
        return;
    const Access now = made_by(thread, kind, place, false);
    const auto offset = static_cast<std::ptrdiff_t>(address - region->begin);
    found_bad(BadAccess::Kind::misaligned, now, *region, offset, bytes, static_cast<std::ptrdiff_t>(alignment));
    is_last(now, address);
    illegal_ = last_access_of(region->spelled(offset)) + ", which is misaligned: the kernel ends";
}

void Detector::reads_read_only(WatchedThread& thread, std::uintptr_t address, std::size_t bytes, const void* place)
{
    Region* const region = full_ ? nullptr : shadow_.find(address);
    if (region == nullptr || region->is_freed || address < region->begin ||
        address + bytes > region->begin + region->bytes)
        return;
    const std::uint32_t grid = thread.block->grid->number;
    const auto is_of_grid = [grid](const Access& access) { return access.grid == grid && writes(access.kind); };
    const std::size_t begin = address - region->begin;
    for (std::size_t number = begin / region->element; number <= (begin + bytes - 1) / region->element; ++number) {
        const Cell* const cell = region->cells.find(number);
        if (cell == nullptr ||
            (std::ranges::none_of(cell->writes, is_of_grid) && std::ranges::none_of(cell->atomics, is_of_grid)))
            continue;
        found_bad(BadAccess::Kind::read_only,
                  {.grid = grid,
                   .block = thread.block->index,
                   .epoch = thread.epoch,
                   .phase = thread.block->phase,
                   .site = sites_.at(thread.node, place),
                   .thread = thread.index,
                   .kind = read_access},
                  *region, static_cast<std::ptrdiff_t>(begin), bytes, 0);
        return;
    }
}

} // namespace nestbed::races
