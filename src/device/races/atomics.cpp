// What atomics and fences order.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <utility>

namespace nestbed::races
{

Clock Detector::Released::to_own_threads(Clocks& clocks, std::uint64_t block) const
{
    const auto more = in_block.find(block);
    return clocks.merged(writer == block ? clock : nullptr, more == in_block.end() ? nullptr : more->second);
}

void Detector::reads_atomically(WatchedThread& thread, std::uintptr_t address, bool acquires, bool and_writes,
                                bool in_block)
{
    make_room();
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
    make_room();
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
    make_room();
    if (acquires) {
        has_read_volatile(thread, false, in_block);
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
