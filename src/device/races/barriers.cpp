// What threads learn from each other at a barrier, and from their children when they wait for them.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

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
    WatchedBlock& block = *static_cast<WatchedBlock*>(handle);
    for (WatchedThread& thread : block.threads) {
        block.acquired = clocks_.merged(block.acquired, std::exchange(thread.acquired, nullptr));
        merge(block.fenced, std::exchange(thread.fenced, {}));
        for (const SeenAtomic& atomic : thread.seen)
            remember(block.seen, atomic);
        thread.seen.clear();
    }
    block.clock = clocks_.merged(block.clock, block.acquired);
    ++block.phase;
    has_room();
}

void Detector::warp_barrier(std::span<void* const> threads)
{
    const Busy busy;
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

} // namespace nestbed::races
