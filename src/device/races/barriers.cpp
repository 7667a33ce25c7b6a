// What threads learn from each other at a barrier, and from their children when they wait for them; what streams and the host wait for.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace nestbed::races
{

void Detector::merge(Fenced& into, const Fenced& more)
{
    into.released = clocks_.merged(into.released, more.released);
    into.unfenced = clocks_.merged(into.unfenced, more.unfenced);
}

void Detector::barrier(void* handle)
{
    const Busy busy;
    make_room();
    WatchedBlock& block = *static_cast<WatchedBlock*>(handle);
    for (WatchedThread& thread : block.threads) {
        block.acquired = clocks_.merged(block.acquired, std::exchange(thread.acquired, nullptr));
        merge(block.fenced, std::exchange(thread.fenced, {}));
        for (const SeenAtomic& atomic : std::views::reverse(thread.seen)) // the latest last
            remember(block.seen, atomic);
        thread.seen.clear();
        thread.has_arrived = false;
    }
    block.clock = clocks_.merged(block.clock, block.acquired);
    ++block.phase;
    has_room();
}

void Detector::arrives(WatchedThread& thread, WatchedGroup& group)
{
    group.arrived = clocks_.merged(group.arrived, release(thread));
    merge(group.fenced, thread.fenced);
    merge(group.fenced, thread.block->fenced);
    has_room();
}

void Detector::opens(WatchedGroup& group)
{
    group.opened = std::exchange(group.arrived, nullptr);
    group.fenced_at_opening = std::exchange(group.fenced, {});
}

void Detector::waited(WatchedThread& thread, const WatchedGroup& group)
{
    thread.acquired = clocks_.merged(thread.acquired, group.opened);
    merge(thread.fenced, group.fenced_at_opening);
    has_room();
}

void Detector::arrives_at_group(void* handle, std::uint64_t number)
{
    const Busy busy;
    make_room();
    auto& thread = *static_cast<WatchedThread*>(handle);
    arrives(thread, thread.block->grid->groups[number]);
}

void Detector::group_opens(void* handle, std::uint64_t number)
{
    const Busy busy;
    opens(static_cast<WatchedGrid*>(handle)->groups[number]);
}

void Detector::waited_for_group(void* handle, std::uint64_t number)
{
    const Busy busy;
    auto& thread = *static_cast<WatchedThread*>(handle);
    waited(thread, thread.block->grid->groups[number]);
}

// ---- barriers that are objects in memory ----

void Detector::forgets_barrier(const void* at)
{
    const Busy busy;
    barriers_.erase(reinterpret_cast<std::uintptr_t>(at));
}

// It is an atomic access that orders nothing: arrivals and waits do.
void Detector::uses_barrier(void* handle, const void* at, bool writes, const void* place)
{
    const Busy busy;
    accesses(*static_cast<WatchedThread*>(handle), reinterpret_cast<std::uintptr_t>(at), sizeof(cpu::BarrierObject),
             writes ? atomic_write : atomic_read, true, place, sizeof(cpu::BarrierObject));
}

void Detector::arrives_at(void* handle, const void* at)
{
    const Busy busy;
    if (handle == nullptr && (!watching_ || full_))
        return;
    make_room();
    WatchedGroup& group = barriers_[reinterpret_cast<std::uintptr_t>(at)];
    if (handle == nullptr)
        group.arrived = clocks_.merged(group.arrived, released_by_host());
    else
        arrives(*static_cast<WatchedThread*>(handle), group);
}

void Detector::copies_arrive_at(void* handle, const void* at)
{
    const Busy busy;
    make_room();
    Clock& arrived = barriers_[reinterpret_cast<std::uintptr_t>(at)].arrived;
    arrived = with_copies(arrived, *static_cast<WatchedThread*>(handle));
    has_room();
}

void Detector::opens(const void* at)
{
    const Busy busy;
    opens(barriers_[reinterpret_cast<std::uintptr_t>(at)]);
}

void Detector::waited_at(void* handle, const void* at)
{
    const Busy busy;
    if (handle == nullptr && (!watching_ || full_))
        return;
    const WatchedGroup& group = barriers_[reinterpret_cast<std::uintptr_t>(at)];
    if (handle == nullptr)
        acquired_by_host() = clocks_.merged(acquired_by_host(), group.opened);
    else
        waited(*static_cast<WatchedThread*>(handle), group);
}

// ---- copies beside a thread ----

void Detector::copies_beside(void* handle, const void* to, const void* from, std::size_t bytes, const void* place)
{
    const Busy busy;
    auto& thread = *static_cast<WatchedThread*>(handle);
    thread.copies = 1;
    if (from != nullptr)
        accesses(thread, reinterpret_cast<std::uintptr_t>(from), bytes, read_access, true, place, 1);
    accesses(thread, reinterpret_cast<std::uintptr_t>(to), bytes, write_access, false, place, 1);
    thread.copies = 0;
}

// And all copies that the thread has started until now, of the lane.
Clock Detector::with_copies(Clock clock, WatchedThread& thread, unsigned lane)
{
    const WatchedBlock& block = *thread.block;
    return clocks_.with(clock, thread_actor(block.grid->number, block.index, copier_of(thread.index, lane)),
                        thread.copied_epoch++);
}

void Detector::commits_copies(void* handle)
{
    auto& thread = *static_cast<WatchedThread*>(handle);
    thread.committed.push_back(thread.copied_epoch++);
}

namespace
{

void forget_waited(std::vector<std::uint32_t>& committed, std::size_t prior)
{
    if (prior < committed.size())
        committed.erase(committed.begin(), committed.end() - static_cast<std::ptrdiff_t>(prior));
}

} // namespace

void Detector::waited_for_copies(void* handle, std::size_t prior)
{
    const Busy busy;
    make_room();
    auto& thread = *static_cast<WatchedThread*>(handle);
    waited_for_copies(thread, thread.committed, prior, 1);
    forget_waited(thread.committed, prior);
}

// Of the groups but the last `prior` ones, in the lanes 1 to `last_lane`.
void Detector::waited_for_copies(WatchedThread& thread, const std::vector<std::uint32_t>& committed,
                                 std::size_t prior, unsigned last_lane)
{
    if (prior >= committed.size())
        return;
    const WatchedBlock& block = *thread.block;
    for (unsigned lane = 1; lane <= last_lane; ++lane)
        thread.acquired = clocks_.with(thread.acquired,
                                       thread_actor(block.grid->number, block.index, copier_of(thread.index, lane)),
                                       committed[committed.size() - prior - 1]);
    has_room();
}

// ---- bulk copies ----

namespace
{

// The slots of a block have no room for the lane 3 of its last thread.
unsigned lane_of_barrier(WatchedThread& thread, const void* barrier)
{
    auto known = std::ranges::find(thread.completed, barrier);
    if (known == thread.completed.end())
        known = thread.completed.insert(known, barrier);
    const bool is_odd = (known - thread.completed.begin()) % 2 != 0;
    return is_odd && thread.index + 1U < cpu::kMaxThreadsPerBlock ? 3 : 2;
}

} // namespace

void Detector::bulk_copies(void* handle, const cpu::BulkCopy& copy)
{
    const Busy busy;
    auto& thread = *static_cast<WatchedThread*>(handle);
    thread.copies_in_bulk = true;
    thread.copies = copy.completes == nullptr ? 1 : lane_of_barrier(thread, copy.completes);
    if (copy.from != nullptr)
        accesses(thread, reinterpret_cast<std::uintptr_t>(copy.from), copy.bytes, read_access, true, copy.place, 1);
    thread.copies = copy.completes == nullptr ? 2 : thread.copies;
    accesses(thread, reinterpret_cast<std::uintptr_t>(copy.to), copy.bytes,
             copy.reduces ? atomic_write : write_access, copy.reduces, copy.place, 1);
    thread.copies = 0;
    thread.copies_in_bulk = false;
}

void Detector::commits_bulk_copies(void* handle)
{
    auto& thread = *static_cast<WatchedThread*>(handle);
    thread.bulk_committed.push_back(thread.copied_epoch++);
}

void Detector::waited_for_bulk_copies(void* handle, std::size_t prior, bool only_reads)
{
    const Busy busy;
    make_room();
    auto& thread = *static_cast<WatchedThread*>(handle);
    waited_for_copies(thread, thread.bulk_committed, prior, only_reads ? 1 : 2);
    if (!only_reads) // otherwise it may still wait for what they write
        forget_waited(thread.bulk_committed, prior);
}

void Detector::bulk_completes_at(void* handle, const void* at)
{
    const Busy busy;
    make_room();
    auto& thread = *static_cast<WatchedThread*>(handle);
    Clock& arrived = barriers_[reinterpret_cast<std::uintptr_t>(at)].arrived;
    arrived = with_copies(arrived, thread, lane_of_barrier(thread, at));
    has_room();
}

void Detector::fences_async_proxy(void* handle)
{
    const Busy busy;
    make_room();
    fenced_for_proxy_ = clocks_.merged(fenced_for_proxy_, release(*static_cast<WatchedThread*>(handle)));
}

void Detector::warp_barrier(std::span<void* const> threads)
{
    const Busy busy;
    make_room();
    Clock all = nullptr;
    Fenced fenced;
    for (void* const handle : threads) {
        auto& thread = *static_cast<WatchedThread*>(handle);
        all = clocks_.merged(all, thread.acquired);
        all = clocks_.with(all, thread_actor(thread.block->grid->number, thread.block->index, thread.index),
                           thread.epoch++);
        merge(fenced, thread.fenced);
    }
    for (void* const handle : threads) {
        auto& thread = *static_cast<WatchedThread*>(handle);
        thread.acquired = all;
        thread.fenced = fenced;
    }
    has_room();
}

void Detector::waited(void* handle)
{
    const Busy busy;
    make_room();
    auto& thread = *static_cast<WatchedThread*>(handle);
    WatchedBlock& block = *thread.block;
    std::erase_if(block.children, [&](const WatchedGrid* child) {
        if (child->complete)
            block.waited = clocks_.merged(block.waited, child->ended);
        return child->complete;
    });
    thread.acquired = clocks_.merged(thread.acquired, block.waited);
    has_room();
}

void Detector::lets_next_grid_begin(void* handle)
{
    const Busy busy;
    const auto& thread = *static_cast<const WatchedThread*>(handle);
    WatchedGrid& grid = *thread.block->grid;
    grid.to_next = clocks_.merged(grid.to_next, thread.released);
}

void Detector::waited_for_previous_grid(void* handle)
{
    const Busy busy;
    auto& thread = *static_cast<WatchedThread*>(handle);
    for (const WatchedGrid* const previous : thread.block->grid->previous)
        thread.acquired = clocks_.merged(thread.acquired, previous->ended);
    has_room();
}

// ---- streams and events ----

void Detector::synchronized()
{
    const Busy busy;
    for (const auto& [stream, clock] : streams_)
        host_clock() = clocks_.merged(host_clock(), clock);
    forget_pageable();
    if (is_several_)
        return; // the others have not waited
    streams_.clear();
    last_unawaited_.clear();
}

void Detector::stream_synchronized(std::uint64_t stream)
{
    const Busy busy;
    host_clock() = clocks_.merged(host_clock(), streams_[stream]);
    std::erase_if(last_unawaited_,
                  [this](const auto& last) { return time_of(host_clock(), grid_actor(last.second)) != 0; });
    forget_pageable();
}

void Detector::event_synchronized(const cpu::Captured& captured)
{
    const Busy busy;
    host_clock() = clocks_.merged(host_clock(), end_of(captured));
    forget_pageable();
}

cpu::Captured Detector::captures(void* handle, std::uint64_t stream)
{
    const Busy busy;
    Captured captured;
    if (handle == nullptr) {
        captured = {.clock = streams_[stream], .grid = last_in_stream_[stream]};
    } else {
        const WatchedBlock& block = *static_cast<WatchedThread*>(handle)->block;
        const auto last =
            std::ranges::find(block.last_children, stream, &std::pair<std::uint64_t, WatchedGrid*>::first);
        captured.grid = last == block.last_children.end() ? nullptr : last->second;
        if (const auto awaited = block.awaited.find(stream); awaited != block.awaited.end())
            captured.clock = awaited->second;
    }
    return kept(captured);
}

cpu::Captured Detector::kept(const Captured& captured)
{
    if (captured_.size() == captured_.capacity()) {
        std::erase_if(captured_, [](const std::weak_ptr<Captured>& each) { return each.expired(); });
        captured_.reserve(2 * captured_.size() + 1);
    }
    auto made = std::make_shared<Captured>(captured);
    captured_.push_back(made);
    return made;
}

// Nothing is left of what was captured before a reset.
Clock Detector::end_of(const cpu::Captured& captured)
{
    if (captured == nullptr)
        return nullptr;
    const auto& of = *static_cast<const Captured*>(captured.get());
    return clocks_.merged(of.clock, of.grid == nullptr ? nullptr : of.grid->ended);
}

cpu::Captured Detector::captures_thread(void* handle)
{
    const Busy busy;
    return kept({.clock = release(*static_cast<WatchedThread*>(handle))});
}

void Detector::stream_made(void* handle, std::uint64_t stream, const void* place, std::uint64_t graph)
{
    const Busy busy;
    if (watching_ && graph != 0)
        graphs_[stream] = graph;
    if (watching_)
        made_[stream] =
            handle == nullptr ? host_site(place) : sites_.at(static_cast<const WatchedThread*>(handle)->node, place);
}

void Detector::stream_waits(void* handle, std::uint64_t stream, const cpu::Captured& captured)
{
    const Busy busy;
    const Clock end = end_of(captured);
    if (handle == nullptr)
        streams_[stream] = clocks_.merged(streams_[stream], end);
    Clock& waits = handle == nullptr ? awaited_[stream] : static_cast<WatchedThread*>(handle)->block->awaited[stream];
    waits = clocks_.merged(waits, end);
    has_room();
}

void Detector::stream_overlaps(std::uint64_t stream, const cpu::Captured& captured, cpu::Overlap overlap)
{
    const Busy busy;
    const WatchedGrid* const grid = captured == nullptr ? nullptr : static_cast<Captured*>(captured.get())->grid;
    if (grid == nullptr)
        return;
    const Clock before = overlap.is_triggered ? clocks_.merged(grid->base, grid->to_next) : grid->base;
    for (Clock* const clock : {&streams_[stream], &awaited_[stream]})
        *clock = clocks_.merged(*clock, before);
    if (overlap.is_waited_for)
        overlapped_[stream].push_back(grid);
    has_room();
}

void Detector::stream_ends(std::uint64_t stream)
{
    const Busy busy;
    streams_.erase(stream);
    awaited_.erase(stream);
    last_in_stream_.erase(stream);
    overlapped_.erase(stream);
}

} // namespace nestbed::races
