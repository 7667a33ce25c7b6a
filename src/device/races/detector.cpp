#include "device/races/detector.hpp"

#include "base/error.hpp"
#include "device/races/actors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed::races
{

namespace
{

constexpr std::size_t kMostBytes = 2ULL << 30U;

RunError too_large()
{
    return RunError(fmt::format("the accesses of this case need more than {} MB; allowed: a smaller case (--grid, "
                                "--block, --elements); the races do not depend on the size",
                                kMostBytes >> 20U));
}

template <class Map>
std::size_t bytes_of(const Map& map)
{
    constexpr std::size_t kLinks = 4 * sizeof(void*); // of a node
    return map.size() * (sizeof(typename Map::value_type) + kLinks);
}

WatchedGrid& grid_of(void* handle)
{
    return *static_cast<WatchedGrid*>(handle);
}
WatchedBlock& block_of(void* handle)
{
    return *static_cast<WatchedBlock*>(handle);
}

} // namespace

Races Detector::watch(const std::function<void()>& work)
{
    reset();
    watching_ = true;
    try {
        work();
    } catch (...) {
        reset();
        throw;
    }
    watching_ = false;
    if (full_) {
        reset();
        throw too_large();
    }
    Races races{.sample = {},
                .races = described(),
                .grids = grids_.size(),
                .threads = threads_,
                .accesses = accesses_,
                .memory_bytes = most_bytes_};
    reset();
    return races;
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
    host_ = nullptr;
    streams_.clear();
    found_.clear();
    accesses_ = threads_ = 0;
    block_bytes_ = most_bytes_ = 0;
}

void Detector::memory(const void* begin, std::size_t bytes, std::size_t element, std::string_view name)
{
    shadow_.add(begin, bytes, element, name);
    forget_atomics(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

void Detector::forget(const void* begin)
{
    forget_atomics(reinterpret_cast<std::uintptr_t>(begin), shadow_.remove(begin));
}

void Detector::forget_atomics(std::uintptr_t address, std::size_t bytes)
{
    atomics_.erase(atomics_.lower_bound(address), atomics_.lower_bound(address + bytes));
    releases_.erase(releases_.lower_bound({address, 0}), releases_.lower_bound({address + bytes, 0}));
}

void Detector::synchronized()
{
    for (const auto& [stream, clock] : streams_)
        host_ = clocks_.merged(host_, clock);
    streams_.clear();
}

std::size_t Detector::bytes() const
{
    return clocks_.bytes() + shadow_.bytes() + sites_.bytes() + block_bytes_ + grids_.size() * sizeof(WatchedGrid) +
           bytes_of(atomics_) + bytes_of(releases_) + bytes_of(found_);
}

bool Detector::has_room(std::size_t more)
{
    most_bytes_ = std::max(most_bytes_, bytes() + more);
    full_ = full_ || most_bytes_ > kMostBytes;
    return !full_;
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

void* Detector::launched(void* handle, Mechanism mechanism, unsigned stream, const void* place)
{
    if (!watching_)
        return nullptr;
    auto* const thread = static_cast<WatchedThread*>(handle);
    WatchedGrid& grid = *grids_.emplace_back(std::make_unique<WatchedGrid>());
    grid.number = static_cast<std::uint32_t>(grids_.size() - 1);
    grid.mechanism = mechanism;
    grid.stream = stream;
    has_room();
    if (thread == nullptr) {
        grid.base = clocks_.merged(host_, streams_[stream]);
        return &grid;
    }
    WatchedBlock& block = *thread->block;
    grid.parent = block.grid;
    grid.depth = block.grid->depth + 1;
    grid.parent_block = block.index;
    grid.parent_thread = thread->index;
    grid.parent_phase = block.phase;
    grid.site = sites_.at(thread->node, place);
    grid.base = release(*thread);
    if (mechanism == Mechanism::null_stream)
        grid.before = std::exchange(block.last_child, &grid);
    return &grid;
}

void Detector::starts(void* handle)
{
    WatchedGrid& grid = grid_of(handle);
    if (grid.before != nullptr)
        grid.ended = grid.before->ended;
    if (grid.mechanism == Mechanism::tail && grid.parent != nullptr)
        grid.ended = grid.parent->ended;
    grid.after = grid.ended;
    grid.base = clocks_.merged(grid.base, grid.after);
}

void Detector::done(void* handle)
{
    WatchedGrid& grid = grid_of(handle);
    grid.ended = clocks_.with(grid.ended, grid_actor(grid.number), 1);
}

void Detector::complete(void* handle)
{
    WatchedGrid& grid = grid_of(handle);
    if (grid.parent == nullptr) {
        streams_[grid.stream] = clocks_.merged(streams_[grid.stream], grid.ended);
        return;
    }
    WatchedGrid& parent = *grids_[grid.parent->number];
    parent.ended = clocks_.merged(parent.ended, grid.ended);
}

// Nothing of it runs any more: to the host, all of it is complete.
void Detector::abandoned(void* handle)
{
    const WatchedGrid& root = grid_of(handle);
    Clock& stream = streams_[root.stream];
    for (std::uint32_t number = root.number; number < grids_.size(); ++number)
        stream = clocks_.with(stream, grid_actor(number), 1);
    while (!blocks_.empty())
        remove(*blocks_.begin()->first);
}

void* Detector::block_begins(void* handle, std::uint64_t index, std::uint32_t threads)
{
    WatchedGrid& grid = grid_of(handle);
    if (full_)
        throw too_large();
    if (index >= kMostBlocks)
        throw RunError(fmt::format(
            "a grid of this case has more than {} blocks, which is all that the race detector has numbers "
            "for; allowed: a smaller one (--grid, --elements)",
            kMostBlocks));
    auto made = std::make_unique<WatchedBlock>();
    WatchedBlock& block = *made;
    block.grid = &grid;
    block.index = static_cast<std::uint32_t>(index);
    block.clock = grid.base;
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
    return &block_of(block).threads[index];
}

void Detector::barrier(void* handle)
{
    WatchedBlock& block = block_of(handle);
    for (WatchedThread& thread : block.threads)
        block.acquired = clocks_.merged(block.acquired, std::exchange(thread.acquired, nullptr));
    block.clock = clocks_.merged(block.clock, block.acquired);
    ++block.phase;
    has_room();
}

void Detector::block_ends(void* handle)
{
    WatchedBlock& block = block_of(handle);
    WatchedGrid& grid = *block.grid;
    grid.ended = clocks_.merged(grid.ended, block.acquired);
    for (const WatchedThread& thread : block.threads)
        grid.ended = clocks_.merged(grid.ended, thread.acquired);
    remove(block);
}

void Detector::shared_memory(void* handle, const void* begin, std::size_t bytes, std::size_t element,
                             std::string_view name)
{
    block_of(handle).shared.push_back(begin);
    memory(begin, bytes, element, name);
}

} // namespace nestbed::races
