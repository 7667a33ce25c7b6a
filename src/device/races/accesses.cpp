// What the detector does at an access, and at an atomic's order.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <bit>

namespace nestbed::races
{

bool knows(Clock clock, const Access& access)
{
    return clock != nullptr &&
           (time_of(clock, block_actor(access.grid, access.block)) > access.phase ||
            time_of(clock, thread_actor(access.grid, access.block, access.thread)) >= access.epoch ||
            time_of(clock, grid_actor(access.grid)) != 0);
}

void remember(SeenAtomics& seen, const SeenAtomic& atomic)
{
    constexpr std::size_t kKept = 4;
    std::erase_if(seen, [&](const SeenAtomic& other) { return other.address == atomic.address; });
    if (seen.size() == kKept)
        seen.pop_back();
    seen.insert(seen.begin(), atomic);
}

void Detector::enters(WatchedThread& thread, const void* place)
{
    thread.node = sites_.at(thread.node, place);
}
void Detector::leaves(WatchedThread& thread)
{
    thread.node = sites_.caller(thread.node);
}

const SeenAtomic* Detector::would_order(const Access& access, const WatchedThread& thread)
{
    const auto in = [&access](const SeenAtomics& seen) -> const SeenAtomic* {
        const auto found =
            std::ranges::find_if(seen, [&](const SeenAtomic& atomic) { return knows(atomic.with_fences, access); });
        return found == seen.end() ? nullptr : &*found;
    };
    const SeenAtomic* found = in(thread.seen);
    if (found == nullptr)
        found = in(thread.block->seen);
    for (const WatchedGrid* grid = thread.block->grid; grid != nullptr && found == nullptr; grid = grid->parent)
        found = in(grid->seen);
    return found;
}

bool Detector::ordered(const Access& access, const WatchedThread& thread) const
{
    const WatchedBlock& block = *thread.block;
    if (access.grid == block.grid->number && access.block == block.index) {
        if (access.thread == thread.index)
            return true;
        // A thread that has ended has not met the barriers after its last access.
        if (access.phase < block.phase && access.phase != block.threads[access.thread].ended_phase)
            return true;
    }
    return knows(thread.acquired, access) || knows(block.clock, access);
}

// The next grid of a NULL stream comes after this one, and not after what the launcher of this one knew.
bool Detector::ordered_by_launch_alone(const Access& access, const WatchedGrid* grid) const
{
    for (; grid->parent != nullptr && knows(grid->base, access); grid = grid->parent) {
        if (!knows(grid->after, access) && !knows(grid->parent->base, access))
            return true;
    }
    return false;
}

void Detector::found(const Access& first, const Access& second, const WatchedThread* thread, const Region& region,
                     std::size_t cell, std::size_t bytes)
{
    if (region.element == 1) {
        const auto same = [&](const Access& other) { return other.same_thread(first) && other.site == first.site; };
        if (std::ranges::any_of(counted_, same))
            return;
        counted_.push_back(first);
    }
    const auto name_of = [](const Access& access) { return std::uint64_t{access.site} << 3U | access.kind; };
    const std::pair<std::uint64_t, std::uint64_t> key = std::minmax(name_of(first), name_of(second));
    auto known = found_.find(key);
    if (known == found_.end())
        known = found_
                    .emplace(key, Found{.first = first,
                                        .second = second,
                                        .memory = region.spelled(static_cast<std::ptrdiff_t>(cell * region.element)),
                                        .bytes = bytes,
                                        .missing = missing_order(first, second, thread),
                                        .pairs = 0})
                    .first;
    ++known->second.pairs;
}

// Finds the races with the accesses of a list. Where the new access is enough from now on, takes out those before it.
void Detector::check(std::vector<Access>& accesses, const Access& now, const WatchedThread& thread,
                     const Region& region, std::size_t cell, std::size_t bytes)
{
    const auto rest = std::remove_if(accesses.begin(), accesses.end(), [&](const Access& before) {
        if (ordered(before, thread)) // mostly, what races with the one before then races with this one too
            return now.kind == write_access && !ordered_by_launch_alone(before, thread.block->grid);
        const bool is_same_block = before.grid == now.grid && before.block == now.block;
        const bool are_atomic = is_atomic(before.kind) && is_atomic(now.kind) && before.size == now.size &&
                                (is_same_block || (!before.in_block && !now.in_block));
        if ((writes(before.kind) || writes(now.kind)) && !are_atomic)
            found(before, now, &thread, region, cell, bytes);
        return false;
    });
    accesses.erase(rest, accesses.end());
}

void Detector::access_cell(Cell& cell, const Access& now, const WatchedThread& thread, Region& region,
                           std::size_t number, std::size_t bytes)
{
    const std::size_t before = cell.bytes();
    check(cell.writes, now, thread, region, number, bytes);
    if (writes(now.kind))
        check(cell.reads, now, thread, region, number, bytes);
    if (!is_atomic(now.kind) || region.has_pairs)
        check(cell.atomics, now, thread, region, number, bytes);
    auto& own = is_atomic(now.kind) ? cell.atomics : writes(now.kind) ? cell.writes : cell.reads;
    if (!own.empty() && own.back().same_thread(now) && own.back().kind == now.kind &&
        own.back().in_block == now.in_block && own.back().size == now.size) {
        own.back() = now;
        return;
    }
    own.push_back(now);
    shorten(own);
    if (cell.bytes() == before)
        return;
    shadow_.changed(region, static_cast<std::ptrdiff_t>(cell.bytes() - before));
    has_room();
}

// A message through volatile memory: the thread has seen what another one wrote after this, and there are no fences. Both are volatile, so
// that it is no race; but nothing orders the two writes, or the two reads.
void Detector::note_open_order(const Cell& cell, const Access& now, const WatchedThread& thread, const Region& region,
                               std::uintptr_t address)
{
    for (const Access& before : cell.atomics) {
        if (before.kind != volatile_write || ordered(before, thread))
            continue;
        const auto later = std::ranges::find_if(thread.seen, [&](const SeenAtomic& seen) {
            return seen.address != address && knows(seen.with_fences, before);
        });
        const std::pair key(before.site, now.site);
        if (later == thread.seen.end() || notes_.contains(key))
            continue;
        notes_.emplace(key, Found{.first = before,
                                  .second = now,
                                  .memory = region.spelled(static_cast<std::ptrdiff_t>(address - region.begin)),
                                  .bytes = std::size_t{1} << now.size,
                                  .missing = {missing_fence(*later, before)},
                                  .pairs = 1});
    }
}

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

bool Detector::accesses(WatchedThread& thread, std::uintptr_t address, std::size_t bytes, AccessKind kind, bool reads,
                        const void* place, std::size_t alignment, bool in_block)
{
    tried_ = {.thread = &thread, .address = address, .bytes = bytes, .kind = kind, .place = place};
    if (full_)
        return false;
    Region* const region = shadow_.find(address);
    if (region == nullptr)
        return false;
    ++accesses_;
    const WatchedBlock& block = *thread.block;
    Access now{.grid = block.grid->number,
               .block = block.index,
               .epoch = thread.copies ? thread.copied_epoch : thread.epoch,
               .phase = thread.copies ? kNoPhase : block.phase + (thread.has_arrived ? 1 : 0),
               .site = sites_.at(thread.node, place),
               .thread = thread.copies ? copier_of(thread.index) : thread.index,
               .kind = kind,
               .in_block = in_block};
    now.size = is_atomic(kind) ? (std::bit_width(bytes) - 1) & 7U : 0U;
    if (is_atomic(kind)) {
        if (region->atomic_bytes == 0)
            region->atomic_bytes = bytes;
        region->has_pairs |= in_block || region->atomic_bytes != bytes;
    }
    last_ = now;
    last_address_ = address;
    last_bytes_ = bytes;
    if (reads)
        thread.last_read = {.address = address, .site = now.site, .is_plain = !is_atomic(kind)};
    const auto size = static_cast<std::ptrdiff_t>(region->bytes);
    const auto begin = static_cast<std::ptrdiff_t>(address - region->begin); // negative: before it
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(bytes);
    if (region->owner != nullptr && region->owner != &block) {
        found_bad(BadAccess::Kind::other_block, now, *region, begin, bytes, 0);
        return false;
    }
    if (region->is_freed || region->is_of_host) {
        found_bad(region->is_freed ? BadAccess::Kind::freed : BadAccess::Kind::of_host, now, *region, begin, bytes,
                  0);
        return false;
    }
    if (alignment == 0) // of a packed structure it may be so
        alignment = region->is_variable && region->element == bytes ? bytes : 1;
    const bool is_misaligned = address % alignment != 0;
    if (is_misaligned)
        found_bad(BadAccess::Kind::misaligned, now, *region, begin, bytes, static_cast<std::ptrdiff_t>(alignment));
    if (region->is_constant && writes(kind))
        found_bad(BadAccess::Kind::constant, now, *region, begin, bytes, 0);
    if ((region->guard != 0 || (region->is_variable && !is_misaligned)) && (begin < 0 || end > size))
        found_bad(BadAccess::Kind::out_of_bounds, now, *region, begin < 0 ? begin : std::max(begin, size), bytes,
                  begin < 0 ? begin : end - size);
    if (begin >= size || end <= 0)
        return false;
    if (region->name.empty())
        if (const std::size_t behind = bytes_behind_variable(address, bytes); behind != 0) {
            found_bad(BadAccess::Kind::out_of_bounds, now, *region, begin, bytes,
                      static_cast<std::ptrdiff_t>(behind));
            return false;
        }
    const std::size_t first = static_cast<std::size_t>(std::max(begin, std::ptrdiff_t{0})) / region->element;
    const std::size_t last = static_cast<std::size_t>(std::min(end, size) - 1) / region->element;
    if (region->uninitialized) {
        if (reads && !region->any_written(first, last)) {
            if (region->is_filled(address, bytes))
                found_bad(BadAccess::Kind::uninitialized, now, *region, begin, bytes, 0);
            else
                shadow_.mark_written(*region, first, last); // by the host, in code that is not watched
        }
        if (writes(kind))
            shadow_.mark_written(*region, first, last);
    }
    if (const std::size_t more = region->cells.bytes_to_make(first, last, region->count()); more != 0) {
        if (!has_room(more))
            return false;
        region->cells.make(first, last, region->count());
        shadow_.changed(*region, static_cast<std::ptrdiff_t>(more));
    }
    counted_.clear();
    if (kind == volatile_read && !thread.seen.empty())
        note_open_order(region->cells[first], now, thread, *region, address);
    for (std::size_t cell = first; cell <= last; ++cell)
        access_cell(region->cells[cell], now, thread, *region, cell, bytes);
    return region->orders;
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

Clock Detector::Released::to_own_threads(Clocks& clocks, std::uint64_t block) const
{
    const auto more = in_block.find(block);
    return clocks.merged(writer == block ? clock : nullptr, more == in_block.end() ? nullptr : more->second);
}

void Detector::reads_atomically(WatchedThread& thread, std::uintptr_t address, bool acquires, bool and_writes,
                                bool in_block)
{
    const auto found = atomics_.find(address);
    if (found == atomics_.end())
        return;
    const Released& released = found->second;
    const Clock of_block =
        released.to_own_threads(clocks_, block_actor(thread.block->grid->number, thread.block->index));
    const Clock of_all = in_block ? nullptr : released.clock;
    if (acquires) {
        thread.acquired = clocks_.merged(clocks_.merged(thread.acquired, of_all), of_block);
    } else {
        thread.unfenced = clocks_.merged(thread.unfenced, of_all);
        thread.unfenced_in_block = clocks_.merged(thread.unfenced_in_block, of_block);
    }
    if (!in_block)
        thread.fenced.unfenced =
            clocks_.merged(thread.fenced.unfenced, and_writes ? released.sequential : released.last_sequential);
    remember(
        thread.seen,
        {.address = address, .with_fences = released.with_fences, .released = released.clock, .fenced = acquires});
}

// A release to an address goes on with later relaxed writes of the same thread to it, stores too: a release pattern of the PTX ISA is "a
// release operation on M followed by a strong write on M in program order" ("Release and Acquire Patterns"). C++20 has this of
// atomics that read and write alone; what is checked is what the GPU does.
void Detector::writes_atomically(WatchedThread& thread, std::uintptr_t address, bool releases, bool after_reading,
                                 bool in_block)
{
    const WatchedBlock& block = *thread.block;
    const std::uint64_t own_block = block_actor(block.grid->number, block.index);
    const std::pair key(address, thread_actor(block.grid->number, block.index, thread.index));
    const Clock all = release(thread);
    const Clock sequential = clocks_.merged(thread.fenced.released, block.fenced.released);
    Clock clock = all;
    if (!releases) {
        const auto earlier = releases_.find(key);
        clock = clocks_.merged(thread.released, earlier == releases_.end() ? nullptr : earlier->second);
    } else if (!in_block) {
        releases_[key] = all;
    }
    const Clock to_block = clocks_.merged(clock, thread.released_in_block);
    Released& released = atomics_[address];
    const Released before = after_reading ? released : Released{};
    const bool is_only_writer = !after_reading || !before.writer || before.writer == own_block;
    released.with_fences = clocks_.merged(before.with_fences, all);
    if (in_block) { // to all others it is the end of the release sequence
        const Clock own = clocks_.merged(before.to_own_threads(clocks_, own_block), to_block);
        released.clock = released.sequential = released.last_sequential = nullptr;
        released.writer = own_block;
        released.in_block = {{own_block, own}};
        return;
    }
    released.clock = clocks_.merged(before.clock, clock);
    released.sequential = clocks_.merged(before.sequential, sequential);
    released.last_sequential = sequential;
    released.in_block = before.in_block;
    if (to_block != clock)
        released.in_block[own_block] = clocks_.merged(before.to_own_threads(clocks_, own_block), to_block);
    if (is_only_writer)
        released.writer = own_block;
    else
        released.writer = kManyBlocks;
}

void Detector::fences(WatchedThread& thread, bool acquires, bool releases, bool sequential, bool in_block)
{
    if (acquires) {
        thread.acquired = clocks_.merged(thread.acquired, std::exchange(thread.unfenced_in_block, nullptr));
        if (!in_block)
            thread.acquired = clocks_.merged(thread.acquired, std::exchange(thread.unfenced, nullptr));
        for (SeenAtomic& atomic : thread.seen)
            atomic.fenced |= !in_block;
    }
    if (in_block) {
        if (releases)
            thread.released_in_block = release(thread);
        return;
    }
    if (sequential) {
        thread.acquired = clocks_.merged(thread.acquired, thread.fenced.unfenced);
        thread.acquired = clocks_.merged(thread.acquired, thread.block->fenced.unfenced);
    }
    if (releases) {
        thread.released = release(thread);
        thread.released_in_block = nullptr;
    }
    if (sequential)
        thread.fenced.released = thread.released;
}

} // namespace nestbed::races
