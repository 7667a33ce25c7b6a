#include "device/races/detector.hpp"

#include "base/error.hpp"
#include "device/races/actors.hpp"

#include <fmt/format.h>

#include <algorithm>

// Where the program's variables begin and end: the linker's names.
extern "C" char __data_start, _end; // NOLINT

namespace nestbed::races
{

namespace
{

constexpr std::size_t kMostBytes = 2ULL << 30U;

RunError too_large()
{
    return RunError(fmt::format(
        "the accesses of this case need more than {} MB to keep; allowed: a smaller one (--grid, --block, "
        "--elements): which races there are does not depend on the size",
        kMostBytes >> 20U));
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
    shadow_.add(&__data_start, static_cast<std::size_t>(&_end - &__data_start), 1, "");
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
                .memory_bytes = bytes_ + clocks_.bytes()};
    reset();
    return races;
}

void Detector::reset()
{
    watching_ = full_ = false;
    clocks_ = {};
    shadow_.clear();
    for (const auto& [pointer, block] : blocks_)
        for (const auto& [begin, bytes] : block->shared)
            remove(begin, bytes);
    blocks_.clear();
    grids_.clear();
    atomics_.clear();
    host_ = nullptr;
    streams_.clear();
    found_.clear();
    accesses_ = threads_ = 0;
    bytes_ = 0;
}

void Detector::memory(const void* begin, std::size_t bytes, std::size_t element, std::string_view name)
{
    shadow_.add(begin, bytes, element, name);
}
void Detector::forget(const void* begin)
{
    shadow_.remove(begin);
}

void Detector::synchronized()
{
    for (const auto& [stream, clock] : streams_)
        host_ = clocks_.merged(host_, clock);
    streams_.clear();
}

void Detector::remove(const void* begin, std::size_t bytes)
{
    shadow_.remove(begin);
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    atomics_.erase(atomics_.lower_bound(address), atomics_.lower_bound(address + bytes));
}

void Detector::charge(std::size_t bytes)
{
    bytes_ += bytes;
    full_ = full_ || bytes_ + clocks_.bytes() > kMostBytes;
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
    charge(0);
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
    charge(sizeof(WatchedGrid));
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
        grid.base = clocks_.merged(grid.base, grid.before->ended);
    if (grid.mechanism == Mechanism::tail && grid.parent != nullptr)
        grid.base = clocks_.merged(grid.base, grid.parent->ended);
    grid.ended = clocks_.merged(grid.ended, grid.base);
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

void Detector::waited(void* handle, void* grid)
{
    auto& thread = *static_cast<WatchedThread*>(handle);
    thread.acquired = clocks_.merged(thread.acquired, grid_of(grid).ended);
}

void* Detector::block_begins(void* handle, std::uint64_t index, std::uint32_t threads)
{
    WatchedGrid& grid = grid_of(handle);
    if (full_ || index >= kMostBlocks)
        throw too_large();
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
        block.clock = clocks_.merged(block.clock, std::exchange(thread.acquired, nullptr));
    ++block.phase;
    charge(0);
}

void Detector::block_ends(void* handle)
{
    WatchedBlock& block = block_of(handle);
    WatchedGrid& grid = *block.grid;
    grid.ended = clocks_.merged(grid.ended, block.clock);
    for (const WatchedThread& thread : block.threads)
        grid.ended = clocks_.merged(grid.ended, thread.acquired);
    for (const auto& [begin, bytes] : block.shared)
        remove(begin, bytes);
    blocks_.erase(&block);
}

void Detector::shared_memory(void* handle, const void* begin, std::size_t bytes, std::size_t element,
                             std::string_view name)
{
    block_of(handle).shared.emplace_back(begin, bytes);
    shadow_.add(begin, bytes, element, name);
}

} // namespace nestbed::races
