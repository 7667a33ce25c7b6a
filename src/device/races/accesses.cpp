// What the detector does at an access.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace nestbed::races
{

bool knows(Clock clock, const Access& access)
{
    const Clock part = part_of(clock, access.grid);
    return part != nullptr && (part->key == grid_actor(access.grid) ||
                               time_of(part, block_actor(access.grid, access.block)) > access.phase ||
                               time_of(part, thread_actor(access.grid, access.block, access.thread)) >= access.epoch);
}

void remember(SeenAtomics& seen, const SeenAtomic& atomic)
{
    constexpr std::size_t kKept = 4;
    auto at = std::ranges::find(seen, atomic.address, &SeenAtomic::address);
    if (at == seen.end()) {
        if (seen.size() < kKept)
            seen.push_back(atomic);
        at = std::prev(seen.end());
    }
    *at = atomic;
    std::rotate(seen.begin(), at, std::next(at));
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

bool Detector::lacks_proxy_fence(const Access& access, const WatchedThread& thread) const
{
    return thread.copies_in_bulk && access.grid == thread.block->grid->number && writes(access.kind) &&
           !is_copier(access.thread) && !knows(fenced_for_proxy_, access);
}

bool Detector::ordered(const Access& access, const WatchedThread& thread) const
{
    return ordered_by_threads(access, thread) && !lacks_proxy_fence(access, thread);
}

bool Detector::ordered_by_threads(const Access& access, const WatchedThread& thread) const
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
    if (grid->parent == nullptr || !knows(grid->base, access))
        return false;
    // The descendants of a grid know all that it knows: to the topmost one that knows the access.
    const auto knows_it = [&](const WatchedGrid* one) { return one != nullptr && knows(one->base, access); };
    while (knows_it(grid->parent))
        grid = knows_it(grid->above) ? grid->above : grid->parent;
    return grid->parent != nullptr && !knows(grid->after, access);
}

Detector::Found& Detector::found(const Access& first, const Access& second, const WatchedThread* thread,
                                 const Region& region, std::size_t cell, std::size_t bytes)
{
    bool is_counted = false;
    if (region.element == 1) {
        const auto same = [&](const Access& other) { return other.same_thread(first) && other.site == first.site; };
        is_counted = std::ranges::any_of(counted_, same);
        if (!is_counted)
            counted_.push_back(first);
    }
    const auto name_of = [](const Access& access) { return std::uint64_t{access.site} << 3U | access.kind; };
    const std::pair<std::uint64_t, std::uint64_t> key = std::minmax(name_of(first), name_of(second));
    if (latest_found_.second == nullptr ||
        latest_found_.first != key) { // many pairs of two places come one after another
        auto known = found_.find(key);
        if (known == found_.end()) // as a whole: a signal may ask for the report at any time
            known =
                found_
                    .emplace(key, Found{.first = first,
                                        .second = second,
                                        .memory = region.spelled(static_cast<std::ptrdiff_t>(cell * region.element)),
                                        .bytes = bytes,
                                        .missing = missing_order(first, second, thread),
                                        .pairs = 0})
                    .first;
        latest_found_ = {key, &known->second};
    }
    Found& pairs = *latest_found_.second;
    pairs.pairs += is_counted ? 0 : 1;
    widen(pairs.missing, first, second);
    return pairs;
}

// Finds the races with the accesses of a list. Where the new access is enough from now on, takes out those before it.
void Detector::check(std::vector<Access>& accesses, const Access& now, const WatchedThread& thread, Region& region,
                     std::size_t cell, std::size_t bytes, bool knows_last)
{
    // From this one on, all have written what is there now.
    const Access* same = accesses.data() + accesses.size();
    if (knows_last && now.kind == write_access && !accesses.empty())
        for (--same; same != accesses.data() && same->repeats;)
            --same;
    const auto rest = std::remove_if(accesses.begin(), accesses.end(), [&](const Access& before) {
        if (!before.meets(now))
            return false;
        if (ordered(before, thread)) // mostly, what races with the one before then races with this one too
            return now.kind == write_access && now.covers(before) &&
                   !ordered_by_launch_alone(before, thread.block->grid);
        const bool is_same_block = before.grid == now.grid && before.block == now.block;
        const bool are_atomic = is_atomic(before.kind) && is_atomic(now.kind) && before.size == now.size &&
                                (is_same_block || (!before.in_block && !now.in_block));
        if ((writes(before.kind) || writes(now.kind)) && !are_atomic && !concerns_host_alone(region, before, now)) {
            Found& pairs = found(before, now, &thread, region, cell, bytes);
            if (before.kind == write_access && now.kind == write_access)
                compare(pairs, now, region,
                        &before >= same && before.part == now.part && are_of_one_run(before, now));
        }
        return false;
    });
    if (rest == accesses.end())
        return;
    accesses.erase(rest, accesses.end());
    for (Access& before : accesses) // the one before it may be another one now
        before.repeats = false;
}

void Detector::check_cell(Cell& cell, const Access& now, const WatchedThread& thread, Region& region,
                          std::size_t number, std::size_t bytes)
{
    check(cell.writes, now, thread, region, number, bytes, cell.atomics.empty());
    if (writes(now.kind))
        check(cell.reads, now, thread, region, number, bytes, false);
    if (!is_atomic(now.kind) || region.has_pairs)
        check(cell.atomics, now, thread, region, number, bytes, false);
}

void Detector::access_cell(Cell& cell, const Access& now, const WatchedThread& thread, Region& region,
                           std::size_t number, std::size_t bytes)
{
    const std::size_t before = cell.bytes();
    check_cell(cell, now, thread, region, number, bytes);
    auto& own = is_atomic(now.kind) ? cell.atomics : writes(now.kind) ? cell.writes : cell.reads;
    if (!own.empty() && own.back().same_thread_and_kind(now)) {
        Access& last = own.back();
        if (now.covers(last)) {
            last = now;
            return;
        }
        if (last.site == now.site && last.phase == now.phase &&
            last.epoch == now.epoch) { // as of a loop over the bytes
            last.part |= now.part;
            last.repeats = false;
            return;
        }
    }
    own.push_back(now);
    if (is_long(own)) {
        shorten(own);
        // What races with one of those that come before this one races with this one too. A shorter list keeps them, because a report
        // names both.
        const auto taken_out = std::erase_if(own, [&](const Access& other) {
            return !other.same_thread(now) && now.covers(other) && (writes(now.kind) || !writes(other.kind)) &&
                   now.in_block == other.in_block && ordered(other, thread) &&
                   !ordered_by_launch_alone(other, thread.block->grid);
        });
        if (taken_out != 0)
            for (Access& other : own)
                other.repeats = false;
    }
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

std::optional<BadAccess::OfBlock> Detector::of_other_block(WatchedThread& thread, const Region& region)
{
    const WatchedBlock& block = *thread.block;
    if (region.cluster != block.cluster)
        return BadAccess::OfBlock::other_cluster;
    if (region.is_freed)
        return BadAccess::OfBlock::ended;
    const auto& owner = *static_cast<const WatchedBlock*>(region.owner);
    if (thread.knows_begin_of == &owner)
        return std::nullopt;
    const bool is_known = std::ranges::any_of(owner.threads, [&](const WatchedThread& other) {
        return ordered({.grid = owner.grid->number,
                        .block = owner.index,
                        .epoch = 1,
                        .phase = 0,
                        .site = 0,
                        .thread = other.index,
                        .kind = read_access},
                       thread);
    });
    if (!is_known)
        return BadAccess::OfBlock::not_begun;
    thread.knows_begin_of = &owner;
    return std::nullopt;
}

void Detector::check_end(const WatchedBlock& block, const Region& region, Clock end)
{
    for (std::size_t number = region.cells.next_made(0, region.count()); number < region.count();
         number = region.cells.next_made(number + 1, region.count())) {
        const Cell& cell = *region.cells.find(number);
        for (const auto* accesses : {&cell.writes, &cell.atomics, &cell.reads})
            for (const Access& access : *accesses)
                if (access.block != block.index && !knows(end, access))
                    found_bad(BadAccess::Kind::other_block, access, region,
                              static_cast<std::ptrdiff_t>(number * region.element), region.element,
                              static_cast<std::ptrdiff_t>(BadAccess::OfBlock::ended));
    }
}

namespace
{
// Of one number, mostly all bytes are.
bool are_written(const Region& region, std::size_t first_byte, std::size_t end)
{
    constexpr std::size_t kBits = 64;
    const std::size_t bit = first_byte % kBits;
    const std::size_t count = end - first_byte;
    if (region.written.empty() || bit + count > kBits)
        return false;
    const std::uint64_t bits = ~std::uint64_t{0} >> (kBits - count);
    return (region.written[first_byte / kBits] >> bit & bits) == bits;
}
} // namespace

bool Detector::accesses(WatchedThread& thread, std::uintptr_t address, std::size_t bytes, AccessKind kind, bool reads,
                        const void* place, std::size_t alignment, bool in_block, bool is_object)
{
    settle();
    tried_ = {.thread = &thread, .address = address, .bytes = bytes, .kind = kind, .place = place};
    if (full_)
        return false;
    const WatchedBlock& block = *thread.block;
    Region* region = shadow_.find(address);
    // Also far from the own shared memory, but near that of another block.
    const bool is_guard_of_other = region != nullptr && region->owner != nullptr && region->owner != &block &&
                                   address - region->begin >= region->bytes;
    const bool is_beyond_shared = (region == nullptr || is_guard_of_other) && cpu::is_near_shared_places(address);
    if (is_beyond_shared)
        region = nearest_shared(block, address);
    if (region == nullptr) {
        accesses_unknown(thread, address, bytes, kind, place);
        return false;
    }
    ++accesses_;
    Access now = made_by(thread, kind, place, in_block);
    now.size = is_atomic(kind) ? (std::bit_width(bytes) - 1) & 7U : 0U;
    if (is_atomic(kind)) {
        if (region->atomic_bytes == 0)
            region->atomic_bytes = bytes;
        region->has_pairs |= in_block || region->atomic_bytes != bytes;
    }
    last_ = {.address = address,
             .grid = block.grid->number,
             .block = block.index,
             .site = now.site,
             .thread = now.thread,
             .kind = kind};
    if (reads)
        thread.last_read = {.address = address, .site = now.site, .is_plain = !is_atomic(kind)};
    const auto size = static_cast<std::ptrdiff_t>(region->bytes);
    const auto begin = static_cast<std::ptrdiff_t>(address - region->begin); // negative: before it
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(bytes);
    if (region->owner != nullptr && region->owner != &block) {
        const auto wrong = of_other_block(thread, *region);
        if (wrong)
            found_bad(BadAccess::Kind::other_block, now, *region, begin, bytes, static_cast<std::ptrdiff_t>(*wrong));
        if (wrong.value_or(BadAccess::OfBlock::not_begun) != BadAccess::OfBlock::not_begun)
            return false;
        region->has_other_blocks = true;
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
    if (is_beyond_shared)
        illegal_ =
            last_access_of(region->spelled(begin)) + ", where no memory is: an illegal access, which ends the kernel";
    if (begin >= size || end <= 0)
        return false;
    if (region->name.empty() && is_beyond_variables(now, address, bytes, *region))
        return false;
    const auto inside = static_cast<std::size_t>(std::max(begin, std::ptrdiff_t{0}));
    const auto inside_end = static_cast<std::size_t>(std::min(end, size));
    const std::size_t first = inside / region->element;
    const std::size_t last = (inside_end - 1) / region->element;
    if (region->uninitialized && !are_written(*region, inside, inside_end)) {
        const std::size_t count = inside_end - inside;
        const std::size_t unwritten = reads ? region->unwritten(inside, inside_end) : 0;
        if (unwritten == count || (unwritten != 0 && !is_object)) {
            if (region->is_filled(inside, inside_end))
                found_bad(BadAccess::Kind::uninitialized, now, *region, begin, bytes,
                          static_cast<std::ptrdiff_t>(unwritten % count));
            else
                shadow_.mark_written(*region, inside, inside_end); // by the host, in code that is not watched
        }
        if (writes(kind))
            shadow_.mark_written(*region, inside, inside_end);
    }
    if (const std::size_t more = region->cells.bytes_to_make(first, last, region->count()); more != 0) {
        if (!has_room(more))
            return false;
        region->cells.make(first, last, region->count());
        shadow_.changed(*region, static_cast<std::ptrdiff_t>(more));
    }
    counted_.clear();
    if (kind == write_access) {
        rewrite_.address = region->begin + inside;
        rewrite_.bytes = inside_end - inside;
    }
    if (kind == volatile_read && !thread.seen.empty())
        note_open_order(region->cells[first], now, thread, *region, address);
    if (!region->spans.empty() && region->comes_after_spans != now.grid) [[unlikely]]
        check_spans(*region, now, thread, inside, inside_end, bytes);
    for (std::size_t cell = first; cell <= last; ++cell) {
        now.part = region->part(cell, inside, inside_end);
        access_cell(region->cells[cell], now, thread, *region, cell, bytes);
    }
    return region->orders;
}

} // namespace nestbed::races
