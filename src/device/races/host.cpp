// What the detector does at an access by the host to memory that it knows, and what orders the threads of the host. Of one thread, no
// access is kept: all that comes later comes after it. Of several, each is a thread of a grid of its own.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <bit>
#include <ranges>
#include <utility>

namespace nestbed::races
{

void Detector::host_begins()
{
    this_host_ = hosts_.front().get();
}

HostThread& Detector::host_makes_thread(const void* place)
{
    Busy::expect_others();
    const Busy busy;
    HostThread& maker = host();
    HostThread& made = *hosts_.emplace_back(std::make_unique<HostThread>());
    made.number = static_cast<unsigned>(hosts_.size());
    made.made_at.assign(maker.calls.begin() + (maker.calls.empty() ? 0 : 1), maker.calls.end());
    made.made_at.push_back(place);
    running_hosts_.push_back(&made);
    is_several_ = true;
    WatchedThread* const actor = kept_actor();
    made.thread().acquired = actor == nullptr ? host_clock() : release(*actor);
    return made;
}

void Detector::host_thread_joined(HostThread& thread)
{
    const Busy busy;
    Clock& clock = acquired_by_host();
    clock = clocks_.merged(clock, thread.block.grid == nullptr ? thread.thread().acquired : release(thread.thread()));
    thread.calls = {};
    std::erase(running_hosts_, &thread);
    if (running_hosts_.size() > 1 || has_unjoined_)
        return;
    host_clock() = released_by_host(); // what it did is no longer kept
    is_several_ = false;
}

void Detector::host_thread_ends(HostThread& thread)
{
    const Busy busy;
    thread.calls = {};
    std::erase(running_hosts_, &thread);
    has_unjoined_ = true;
}

WatchedThread* Detector::kept_host()
{
    HostThread& host = this->host();
    if (!is_several_ || !watching_)
        return nullptr;
    has_read_volatile(host.thread(), true, false);
    if (host.block.grid == nullptr) {
        WatchedGrid& grid = *grids_.emplace_back(std::make_unique<WatchedGrid>());
        grid.number = static_cast<std::uint32_t>(grids_.size() - 1);
        grid.host = &host;
        for (const void* const call : host.made_at)
            grid.site = sites_.at(grid.site, call);
        host.block.grid = &grid;
        ++operations_;
    }
    return &host.thread();
}

Clock Detector::released_by_host()
{
    WatchedThread* const thread = kept_host();
    return thread == nullptr ? host_clock() : release(*thread);
}

bool Detector::all_hosts_know(const Access& access) const
{
    return std::ranges::all_of(running_hosts_, [&](const HostThread* host) {
        return host->block.grid == grids_[access.grid].get() || knows(host->thread().acquired, access);
    });
}

void Detector::host_releases(std::uintptr_t lock)
{
    if (!watching_ || full_)
        return;
    make_room();
    WatchedThread* const actor = kept_actor();
    const Clock clock = actor == nullptr ? host_clock() : release(*actor);
    Clock& released = locks_[lock];
    released = clocks_.merged(released, clock);
    has_room();
}

void Detector::host_acquires(std::uintptr_t lock)
{
    const auto found = locks_.find(lock);
    if (found == locks_.end() || full_)
        return;
    Clock& clock = acquired_by_host();
    clock = clocks_.merged(clock, found->second);
}

void Detector::host_fences(bool acquires, bool releases, bool sequential)
{
    if (!watching_ || full_)
        return;
    if (WatchedThread* const actor = kept_actor(); actor != nullptr)
        fences(*actor, acquires, releases, sequential, false);
}

void Detector::host_has_read(std::uintptr_t address, bool acquires)
{
    if (WatchedThread* const actor = full_ ? nullptr : kept_actor(); actor != nullptr)
        reads_atomically(*actor, address, acquires, false, false);
}

void Detector::host_may_release(std::uintptr_t address)
{
    WatchedThread* const actor = full_ ? nullptr : kept_actor();
    if (actor == nullptr)
        return;
    make_room();
    Released& released = atomics_[address];
    released.clock = clocks_.merged(released.clock, release(*actor));
}

void Detector::host_atomic(std::uintptr_t address, std::size_t bytes, AccessKind kind, const HostAtomic& atomic,
                           const void* place)
{
    if (!watching_ || full_)
        return;
    WatchedThread* const thread = kept_actor();
    if (thread == nullptr) { // it has nothing to release: what is launched later comes after it
        const auto found = atomics_.find(address);
        if (atomic.reads && atomic.acquires && found != atomics_.end())
            host_clock() = clocks_.merged(host_clock(), found->second.clock);
        return;
    }
    if (Region* const region = shadow_.find(address); region != nullptr && !region->is_of_host && !region->is_freed &&
                                                      region->by_host == cpu::HostAccess::ordered &&
                                                      address - region->begin + bytes <= region->bytes) {
        Access now = made_by(*thread, kind, place, false);
        now.site = host_site(place);
        now.size = (std::bit_width(bytes) - 1) & 7U;
        region->has_pairs |= region->atomic_bytes != 0 && region->atomic_bytes != bytes;
        region->atomic_bytes = bytes;
        make_room();
        if (writes(kind))
            shadow_.mark_written(address, bytes);
        kept_access(*thread, *region, {.begin = address - region->begin, .width = bytes}, now);
    }
    if (atomic.reads)
        reads_atomically(*thread, address, atomic.acquires, atomic.writes, false);
    if (atomic.writes)
        writes_atomically(*thread, address, atomic.releases, atomic.reads, false);
    if (kind == volatile_read)
        thread->read_volatile = address;
}

void Detector::has_read_volatile(WatchedThread& thread, bool acquires, bool in_block)
{
    if (thread.read_volatile != 0)
        reads_atomically(thread, std::exchange(thread.read_volatile, 0), acquires, false, in_block);
}

void Detector::host_accesses(std::uintptr_t address, std::size_t bytes, bool write, const void* place)
{
    if (!watching_ || full_)
        return;
    if (!pageable_.empty())
        pageable_access(address, bytes, write, place);
    Region* const region = shadow_.find(address);
    if (region == nullptr || region->by_host == cpu::HostAccess::unchecked || region->is_freed)
        return;
    Access now{.grid = kHost,
               .block = 0,
               .epoch = 0,
               .phase = 0,
               .site = 0,
               .thread = 0,
               .kind = write ? write_access : read_access};
    const auto size = static_cast<std::ptrdiff_t>(region->bytes);
    const auto begin = static_cast<std::ptrdiff_t>(address - region->begin);
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(bytes);
    if (begin < 0 || end > size) {
        if (region->is_of_host)
            return;
        now.site = host_site(place);
        found_bad(BadAccess::Kind::out_of_bounds, now, *region, begin < 0 ? begin : std::max(begin, size), bytes,
                  begin < 0 ? begin : end - size);
        return;
    }
    if (region->by_host == cpu::HostAccess::forbidden) {
        now.site = host_site(place);
        found_bad(BadAccess::Kind::by_host, now, *region, begin, bytes, 0);
        return;
    }
    if (write)
        shadow_.mark_written(address, bytes);
    const RegionRows rows{.begin = static_cast<std::size_t>(begin), .width = bytes};
    WatchedThread* const thread = has_several_actors_of_host() ? kept_actor() : nullptr;
    if (thread == nullptr)
        return check_host_access(*region, now, rows, host_clock(), place);
    now = made_by(*thread, now.kind, place, false);
    now.site = host_site(place);
    kept_access(*thread, *region, rows, now);
}

void Detector::pageable_access(std::uintptr_t address, std::size_t bytes, bool write, const void* place)
{
    const RegionRows rows{.begin = address, .width = bytes};
    if (std::ranges::none_of(pageable_, [&](const HostSpan& span) { return span.rows.meet(rows); }))
        return;
    const AccessKind kind = write ? write_access : read_access;
    const WatchedThread* const thread = has_several_actors_of_host() ? kept_actor() : nullptr;
    Access now{.grid = kHost, .block = 0, .epoch = 0, .phase = 0, .site = 0, .thread = 0, .kind = kind};
    if (thread != nullptr)
        now = made_by(*thread, kind, place, false);
    now.site = host_site(place);
    check_pageable(rows, now, thread, host_clock());
}

void Detector::check_pageable(const RegionRows& rows, Access now, const WatchedThread* thread, Clock clock)
{
    counted_.clear();
    for (const HostSpan& span : pageable_) {
        if (!span.rows.meet(rows) || (thread == nullptr ? knows(clock, span.access) : ordered(span.access, *thread)))
            continue;
        const Region* const variable = shadow_.find(span.rows.begin);
        const Region nameless{.begin = span.rows.begin,
                              .bytes = span.rows.end() - span.rows.begin,
                              .name = "pageable memory of the host",
                              .is_of_host = true};
        const Region& region = variable == nullptr ? nameless : *variable;
        found(span.access, now, thread, region,
              (std::max(rows.begin, span.rows.begin) - region.begin) / region.element, rows.width * rows.height);
    }
}

void Detector::copies_pageable(const WatchedGrid& copy, const RegionRows& rows, bool write)
{
    const Access now = access_by(copy, write);
    check_pageable(rows, now, nullptr, copy.base);
    if (!write)
        return; // from a buffer of CUDA's own, when the function has returned
    std::erase_if(pageable_,
                  [&](const HostSpan& span) { return span.rows == rows && knows(copy.base, span.access); });
    pageable_.push_back({.access = now, .rows = rows});
    checked_pageable_.add(rows.begin, rows.end() - rows.begin);
}

void Detector::forget_pageable()
{
    if (pageable_.empty())
        return;
    std::erase_if(pageable_, [this](const HostSpan& span) {
        return is_several_ ? all_hosts_know(span.access) : knows(host_clock(), span.access);
    });
    if (pageable_.empty())
        checked_pageable_ = {};
}

// As a thread of a kernel: what others of the host do later may race with it.
void Detector::kept_access(WatchedThread& thread, Region& region, const RegionRows& rows, Access now)
{
    make_room();
    counted_.clear();
    const std::size_t first = rows.begin / region.element;
    const std::size_t last = (rows.end() - 1) / region.element;
    // What a kernel is about to write, its values are not compared any more.
    for (Found* const pairs : rewrite_.found)
        pairs->same.holds = false;
    rewrite_.found.clear();
    rewrite_.region = nullptr;
    rewrite_.bytes = 0;
    if (!region.spans.empty())
        check_spans(region, now, thread, rows.begin, rows.end(), rows.width);
    HostThread& host = this->host();
    if (&thread == &host.thread() && !is_atomic(now.kind)) {
        HostThread::Recent& recent = host.recent[now.site % HostThread::kRecent];
        const bool goes_on = recent.region == &region && recent.site == now.site && recent.epoch == now.epoch &&
                             recent.kind == now.kind && recent.end == rows.begin;
        if (!goes_on)
            recent = {.region = &region, .site = now.site, .epoch = now.epoch, .kind = now.kind};
        recent.end = rows.end();
        if (goes_on || rows.width > sizeof(std::uint64_t)) {
            for (std::size_t number = region.cells.next_made(first, last + 1); number <= last;
                 number = region.cells.next_made(number + 1, last + 1)) {
                now.part = region.part(number, rows.begin, rows.end());
                check_cell(region.cells[number], now, thread, region, number, rows.width);
            }
            keep_span(recent, region, now, rows);
            return;
        }
    }
    if (const std::size_t more = region.cells.bytes_to_make(first, last, region.count()); more != 0) {
        if (!has_room(more))
            return;
        region.cells.make(first, last, region.count());
        shadow_.changed(region, static_cast<std::ptrdiff_t>(more));
    }
    for (std::size_t number = first; number <= last; ++number) {
        now.part = region.part(number, rows.begin, rows.end());
        access_cell(region.cells[number], now, thread, region, number, rows.width);
    }
}

// Of a loop, that of the access before it becomes longer.
void Detector::keep_span(HostThread::Recent& recent, Region& region, const Access& access, const RegionRows& rows)
{
    if (recent.has_span) {
        const auto longer =
            std::ranges::find_if(region.spans.rbegin(), region.spans.rend(), [&](const HostSpan& span) {
                return span.access.same_thread_and_kind(access) && span.access.site == access.site &&
                       span.rows.end() == rows.begin && span.rows.height == 1;
            });
        if (longer != region.spans.rend()) {
            longer->rows.width += rows.width;
            return;
        }
    }
    recent.has_span = true;
    make_room_for_span(region);
    region.spans.push_back({.access = access, .rows = rows});
    region.comes_after_spans = kNoGrid;
}

// Copies chunk by chunk in one stream. Who comes after the first is taken to come after all: no false race.
void Detector::join_spans(std::vector<HostSpan>& spans) const
{
    std::vector<HostSpan> joined;
    Access last; // of those that the last one has
    for (const HostSpan& span : spans) {
        const bool goes_on = !joined.empty() && span.access.site == last.site && span.access.kind == last.kind &&
                             joined.back().rows.height == 1 && span.rows.height == 1 &&
                             joined.back().rows.end() == span.rows.begin &&
                             knows(grids_[span.access.grid]->base, last);
        if (goes_on)
            joined.back().rows.width += span.rows.width;
        else
            joined.push_back(span);
        last = span.access;
    }
    spans = std::move(joined);
}

void Detector::make_room_for_span(Region& region)
{
    constexpr std::size_t kMaxSpans = 256; // of more, the earliest are forgotten
    constexpr std::size_t kMany = 16;
    std::vector<HostSpan>& spans = region.spans;
    if (is_several_ && spans.size() >= kMany && std::has_single_bit(spans.size())) {
        std::erase_if(spans, [&](const HostSpan& span) { return all_hosts_know(span.access); });
        // A later one of the same thread is enough.
        std::vector<HostSpan> kept;
        for (const HostSpan& span : std::views::reverse(spans))
            if (std::ranges::none_of(kept, [&](const HostSpan& later) {
                    return later.access.same_thread_and_kind(span.access) && span.rows.height == 1 &&
                           later.rows.height == 1 && later.rows.begin <= span.rows.begin &&
                           later.rows.end() >= span.rows.end();
                }))
                kept.push_back(span);
        spans.assign(kept.rbegin(), kept.rend());
    }
    if (spans.size() == kMaxSpans)
        join_spans(spans);
    if (spans.size() == kMaxSpans)
        spans.erase(spans.begin());
}

} // namespace nestbed::races
