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

void Detector::arrives_at_group(void* handle, std::uint64_t number)
{
    const Busy busy;
    make_room();
    auto& thread = *static_cast<WatchedThread*>(handle);
    WatchedGroup& group = thread.block->grid->groups[number];
    group.arrived = clocks_.merged(group.arrived, release(thread));
    merge(group.fenced, thread.fenced);
    merge(group.fenced, thread.block->fenced);
    has_room();
}

void Detector::group_opens(void* handle, std::uint64_t number)
{
    const Busy busy;
    WatchedGroup& group = static_cast<WatchedGrid*>(handle)->groups[number];
    group.opened = std::exchange(group.arrived, nullptr);
    group.fenced_at_opening = std::exchange(group.fenced, {});
}

void Detector::waited_for_group(void* handle, std::uint64_t number)
{
    const Busy busy;
    auto& thread = *static_cast<WatchedThread*>(handle);
    const WatchedGroup& group = thread.block->grid->groups[number];
    thread.acquired = clocks_.merged(thread.acquired, group.opened);
    merge(thread.fenced, group.fenced_at_opening);
    has_room();
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
    if (const WatchedGrid* const previous = thread.block->grid->previous; previous != nullptr)
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
    forget_pageable();
}

void Detector::event_synchronized(std::uint64_t captured)
{
    const Busy busy;
    host_clock() = clocks_.merged(host_clock(), end_of(captured));
    forget_pageable();
}

std::uint64_t Detector::captures(void* handle, std::uint64_t stream)
{
    const Busy busy;
    Captured captured;
    if (handle == nullptr) {
        captured.clock = streams_[stream];
    } else {
        const WatchedBlock& block = *static_cast<WatchedThread*>(handle)->block;
        const auto last =
            std::ranges::find(block.last_children, stream, &std::pair<std::uint64_t, WatchedGrid*>::first);
        captured.grid = last == block.last_children.end() ? nullptr : last->second;
        if (const auto awaited = block.awaited.find(stream); awaited != block.awaited.end())
            captured.clock = awaited->second;
    }
    captured_.push_back(captured);
    return captured_.size() - 1;
}

// A number from before a reset is that of no event.
Clock Detector::end_of(std::uint64_t captured)
{
    if (captured >= captured_.size())
        return nullptr;
    const Captured& of = captured_[captured];
    return clocks_.merged(of.clock, of.grid == nullptr ? nullptr : of.grid->ended);
}

std::uint64_t Detector::captures_thread(void* handle)
{
    const Busy busy;
    captured_.push_back({.clock = release(*static_cast<WatchedThread*>(handle))});
    return captured_.size() - 1;
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

void Detector::stream_waits(void* handle, std::uint64_t stream, std::uint64_t captured)
{
    const Busy busy;
    const Clock end = end_of(captured);
    if (handle == nullptr)
        streams_[stream] = clocks_.merged(streams_[stream], end);
    Clock& waits = handle == nullptr ? awaited_[stream] : static_cast<WatchedThread*>(handle)->block->awaited[stream];
    waits = clocks_.merged(waits, end);
    has_room();
}

} // namespace nestbed::races
