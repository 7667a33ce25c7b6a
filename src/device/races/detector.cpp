#include "device/races/detector.hpp"

#include "device/races/actors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace nestbed::races
{

namespace
{

constexpr std::string_view kNoRoom = // see has_room()
    "the race detector needs more than 2048 MB for the accesses of this run, and has looked at the first part of it "
    "alone; use a "
    "smaller case (of a strategy: --grid, --block, --elements): races do not depend on the size";

WatchedGrid& grid_of(void* handle)
{
    return *static_cast<WatchedGrid*>(handle);
}
WatchedBlock& block_of(void* handle)
{
    return *static_cast<WatchedBlock*>(handle);
}

// `above` of what the grid launches: a skew-binary jump pointer (Myers, "An applicative random-access stack", 1983).
const WatchedGrid* jump_from(const WatchedGrid& parent)
{
    const WatchedGrid* const next = parent.above == nullptr ? nullptr : parent.above->above;
    return next != nullptr && parent.depth - parent.above->depth == parent.above->depth - next->depth ? next
                                                                                                      : &parent;
}

} // namespace

void Detector::begin()
{
    const Busy busy;
    reset();
    watching_ = true;
}

Races Detector::end()
{
    const Busy busy;
    settle();
    watching_ = false;
    Races races{.sample = {},
                .races = described_races(),
                .bad_accesses = described_bad_accesses(),
                .warnings = described_misuses(true),
                .notes = described_notes(),
                .grids = grids_.size() - operations_,
                .threads = threads_,
                .accesses = accesses_,
                .memory_bytes = max_bytes_,
                .incomplete = full_ ? std::string(kNoRoom) : ""};
    std::uint64_t most = 0;
    for (const auto& [site, count] : open_launches_) {
        races.open_launches += count;
        if (count > std::exchange(most, std::max(most, count)))
            races.open_launch = sites_.places(site).front();
    }
    if (!Busy::is_stopped()) // else a stopped thread may have the lock that freeing memory needs
        reset();
    return races;
}

Races Detector::watch(const std::function<void()>& work)
{
    begin();
    try {
        work();
    } catch (...) {
        reset();
        throw;
    }
    return end();
}

void Detector::reset()
{
    watching_ = full_ = false;
    clocks_ = {};
    sites_ = {};
    shadow_.clear();
    while (!blocks_.empty())
        remove(*blocks_.begin()->first);
    grids_.clear();
    atomics_.clear();
    releases_.clear();
    for (const auto& host : hosts_)
        host->forget();
    locks_.clear();
    pageable_.clear();
    checked_pageable_ = {};
    barriers_.clear();
    fenced_for_proxy_ = nullptr;
    streams_.clear();
    awaited_.clear();
    last_in_stream_.clear();
    for (const std::weak_ptr<Captured>& captured : std::exchange(captured_, {}))
        if (const std::shared_ptr<Captured> of = captured.lock(); of != nullptr)
            *of = {};
    overlapped_.clear();
    found_.clear();
    latest_found_ = {};
    rewrite_ = {};
    found_bad_.clear();
    misuses_.clear();
    open_launches_.clear();
    made_.clear();
    graphs_.clear();
    notes_.clear();
    last_unawaited_.clear();
    accesses_ = threads_ = operations_ = 0;
    block_bytes_ = max_bytes_ = 0;
}

void Detector::memory(const cpu::Memory& memory)
{
    const Busy busy;
    settle();
    shadow_.add(memory);
    if (memory.by_host != cpu::HostAccess::unchecked)
        (memory.is_variable ? checked_variables_ : checked_)
            .add(reinterpret_cast<std::uintptr_t>(memory.begin), memory.bytes);
    forget_atomics(reinterpret_cast<std::uintptr_t>(memory.begin), memory.bytes);
}

void Checked::add(std::uintptr_t from, std::size_t count)
{
    const std::uintptr_t end = std::max(bytes == 0 ? 0 : begin + bytes, from + count);
    begin = bytes == 0 ? from : std::min(begin, from);
    bytes = end - begin;
}

void Detector::host_wrote(const void* begin, std::size_t bytes)
{
    const Busy busy;
    settle();
    shadow_.mark_written(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

void Detector::forget(const void* begin)
{
    const Busy busy;
    settle();
    forget_atomics(reinterpret_cast<std::uintptr_t>(begin), shadow_.remove(begin));
}

void Detector::freed(const void* begin, const void* place)
{
    const Busy busy;
    settle();
    forget_atomics(reinterpret_cast<std::uintptr_t>(begin), shadow_.free(begin, place));
}

void Detector::forget_atomics(std::uintptr_t address, std::size_t bytes)
{
    atomics_.erase(atomics_.lower_bound(address), atomics_.lower_bound(address + bytes));
    releases_.erase(releases_.lower_bound({address, 0}), releases_.lower_bound({address + bytes, 0}));
    barriers_.erase(barriers_.lower_bound(address), barriers_.lower_bound(address + bytes));
}

void Detector::remove(WatchedBlock& block)
{
    for (const void* begin : block.shared)
        forget(begin);
    block_bytes_ -= block.bytes();
    blocks_.erase(&block);
}

// ---- grids and blocks ----

// What the thread and its block did until now, and all that they know.
Clock Detector::release(WatchedThread& thread)
{
    const WatchedBlock& block = *thread.block;
    Clock clock = clocks_.merged(block.clock, thread.acquired);
    clock = clocks_.with(clock, thread_actor(block.grid->number, block.index, thread.index), thread.epoch++);
    if (block.phase != 0)
        clock = clocks_.with(clock, block_actor(block.grid->number, block.index), block.phase);
    has_room();
    return clock;
}

void Detector::follows_in_stream(const WatchedGrid& before, const WatchedGrid& grid, const WatchedThread& thread)
{
    const Access launch{.grid = thread.block->grid->number,
                        .block = thread.block->index,
                        .epoch = before.parent_epoch,
                        .phase = before.parent_phase,
                        .thread = before.parent_thread};
    if (!ordered(launch, thread))
        ++open_launches_[grid.site];
}

void* Detector::launched(void* handle, Mechanism mechanism, std::uint64_t stream, const void* place,
                         const cpu::CallPlace& launch)
{
    const Busy busy;
    if (!watching_)
        return nullptr;
    make_room();
    auto* const thread = static_cast<WatchedThread*>(handle);
    WatchedGrid& grid = *grids_.emplace_back(std::make_unique<WatchedGrid>());
    grid.number = static_cast<std::uint32_t>(grids_.size() - 1);
    grid.mechanism = mechanism;
    grid.stream = stream;
    grid.launch = launch;
    has_room();
    if (thread == nullptr) {
        const Clock host = released_by_host();
        const WatchedGrid*& last = last_in_stream_[stream];
        if (const auto given = overlapped_.extract(stream); !given.empty()) {
            grid.previous = given.mapped();
            grid.base = clocks_.merged(host, awaited_[stream]);
        } else if (mechanism == Mechanism::host_pdl && last != nullptr) {
            grid.previous = {last};
            grid.base =
                clocks_.merged(clocks_.merged(host, awaited_[stream]), clocks_.merged(last->base, last->to_next));
        } else {
            grid.base = clocks_.merged(host, streams_[stream]);
        }
        if (is_several_) // another thread may wait for the stream
            streams_[stream] = clocks_.merged(streams_[stream], host);
        last = &grid;
        last_unawaited_[stream] = grid.number;
        return &grid;
    }
    WatchedBlock& block = *thread->block;
    grid.parent = block.grid;
    grid.above = jump_from(*block.grid);
    grid.depth = block.grid->depth + 1;
    grid.parent_block = block.index;
    grid.parent_thread = thread->index;
    grid.parent_phase = block.phase;
    grid.site = sites_.at(thread->node, place);
    grid.parent_epoch = thread->epoch;
    grid.base = release(*thread);
    grid.fenced = thread->fenced;
    merge(grid.fenced, block.fenced);
    grid.seen = thread->seen;
    std::ranges::copy(block.seen, std::back_inserter(grid.seen));
    if (mechanism == Mechanism::null_stream || (mechanism == Mechanism::named_stream && stream != 0)) {
        const std::uint64_t key = mechanism == Mechanism::null_stream ? 0 : stream;
        auto last = std::ranges::find(block.last_children, key, &std::pair<std::uint64_t, WatchedGrid*>::first);
        if (last == block.last_children.end())
            last = block.last_children.insert(last, {key, nullptr});
        grid.before = std::exchange(last->second, &grid);
        if (grid.before != nullptr)
            follows_in_stream(*grid.before, grid, *thread);
        if (const auto awaited = block.awaited.find(key); awaited != block.awaited.end())
            grid.awaited = awaited->second;
    }
    if (mechanism != Mechanism::tail)
        block.children.push_back(&grid);
    return &grid;
}

void Detector::starts(void* handle)
{
    const Busy busy;
    make_room();
    WatchedGrid& grid = grid_of(handle);
    if (grid.before != nullptr)
        grid.ended = grid.before->ended;
    if (grid.mechanism == Mechanism::tail && grid.parent != nullptr)
        grid.ended = grid.parent->ended;
    grid.ended = clocks_.merged(grid.ended, grid.awaited);
    grid.after = grid.ended;
    grid.base = clocks_.merged(grid.base, grid.after);
}

void Detector::done(void* handle)
{
    const Busy busy;
    WatchedGrid& grid = grid_of(handle);
    grid.ended = clocks_.with(grid.ended, grid_actor(grid.number), 1);
    grid.groups.clear(); // nobody waits at their barriers any more
}

void Detector::complete(void* handle)
{
    const Busy busy;
    WatchedGrid& grid = grid_of(handle);
    if (grid.parent == nullptr) {
        streams_[grid.stream] = clocks_.merged(streams_[grid.stream], grid.ended);
        return;
    }
    grid.complete = true;
    grid.base = grid.after = grid.awaited = grid.to_next = nullptr; // nothing of it runs any more
    grid.fenced = {};
    grid.seen = {};
    WatchedGrid& parent = *grids_[grid.parent->number];
    parent.ended = clocks_.merged(parent.ended, grid.ended);
}

// Nothing of it runs any more: to the host, all of it is complete.
void Detector::abandoned(void* handle)
{
    const Busy busy;
    const WatchedGrid& root = grid_of(handle);
    Clock& stream = streams_[root.stream];
    for (std::uint32_t number = root.number; number < grids_.size(); ++number)
        if (grids_[number]->host == nullptr)
            stream = clocks_.with(stream, grid_actor(number), 1);
    while (!blocks_.empty())
        remove(*blocks_.begin()->first);
}

void* Detector::block_begins(void* handle, std::uint64_t index, std::uint32_t threads, std::uint64_t cluster)
{
    const Busy busy;
    make_room();
    WatchedGrid& grid = grid_of(handle);
    if (full_)
        throw cpu::Fault(std::string(kNoRoom));
    if (index >= kMaxBlocks)
        throw RunError(
            fmt::format("a grid has more than {} blocks; the race detector supports at most {} blocks per grid",
                        kMaxBlocks, kMaxBlocks));
    pages_.fill(kNoPage);
    auto made = std::make_unique<WatchedBlock>();
    WatchedBlock& block = *made;
    block.grid = &grid;
    block.index = static_cast<std::uint32_t>(index);
    block.cluster = actor_of(grid.number, cluster, 0);
    block.clock = grid.base;
    block.fenced = grid.fenced;
    block.threads.resize(threads);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        block.threads[thread].block = &block;
        block.threads[thread].index = static_cast<std::uint16_t>(thread);
    }
    threads_ += threads;
    block_bytes_ += block.bytes();
    has_room();
    blocks_.emplace(&block, std::move(made));
    return &block;
}

void* Detector::thread_of(void* block, std::uint32_t index)
{
    const Busy busy;
    return &block_of(block).threads[index];
}

void Detector::block_ends(void* handle)
{
    const Busy busy;
    settle();
    WatchedBlock& block = block_of(handle);
    WatchedGrid& grid = *block.grid;
    Clock end = block.acquired;
    for (const WatchedThread& thread : block.threads)
        end = clocks_.merged(end, thread.acquired);
    grid.ended = clocks_.merged(grid.ended, end);
    for (const void* begin : std::exchange(block.shared, {})) {
        if (const Region& region = *shadow_.find(reinterpret_cast<std::uintptr_t>(begin)); region.has_other_blocks)
            check_end(block, region, end);
        freed(begin, nullptr);
        shadow_.find(reinterpret_cast<std::uintptr_t>(begin))->owner = this; // no block
    }
    remove(block);
}

void Detector::shared_memory(void* handle, const cpu::Memory& of_block)
{
    const Busy busy;
    block_of(handle).shared.push_back(of_block.begin);
    memory(of_block);
    Region& region = *shadow_.find(reinterpret_cast<std::uintptr_t>(of_block.begin));
    region.owner = handle;
    region.cluster = block_of(handle).cluster;
}

} // namespace nestbed::races
