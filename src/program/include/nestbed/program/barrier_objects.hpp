// Barriers that are objects in memory, for cuda::barrier, cuda_awbarrier.h and PTX.
#pragma once

#include "atomics.hpp"

namespace nestbed::program
{

// A plain write, after which other threads may use it if a barrier of the block is between.
inline void begin_barrier(cpu::BarrierObject* at, unsigned count)
{
    *at = cpu::begun_barrier(count);
    cpu::barrier_begins(at);
}
inline void end_barrier(cpu::BarrierObject* at)
{
    *at = 0;
    cpu::barrier_begins(at);
}
// Whether the phase of this parity has ended; lets others run if not.
inline bool try_wait(const cpu::BarrierObject* at, bool parity)
{
    if (cpu::has_ended(at, parity))
        return true;
    if (cpu::current_thread == nullptr)
        return false; // of the host, which has waited
    cpu::current_thread->program.waits_for = at;
    cpu::give_way();
    return cpu::has_ended(at, parity);
}
inline void wait_for_phase(const cpu::BarrierObject* at, bool parity)
{
    while (!try_wait(at, parity)) {
    }
}

// A copy to be waited for, the parts of which are those of the threads of a group.
template <class Group>
void copy_as_group(const Group& group, void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t kPart = 16;
    for (std::size_t at = group.thread_rank() * kPart; at < bytes; at += group.size() * kPart)
        cpu::copy_beside(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                         bytes - at < kPart ? bytes - at : kPart);
}
// The same of one thread; zeros behind `copied` bytes.
inline void copy_with_zeros(void* to, const void* from, std::size_t bytes, std::size_t copied)
{
    if (copied != 0)
        cpu::copy_beside(to, from, copied);
    if (copied != bytes)
        cpu::copy_beside(static_cast<char*>(to) + copied, nullptr, bytes - copied);
}
struct OneThread {
    static constexpr std::size_t size() { return 1; }
    static constexpr std::size_t thread_rank() { return 0; }
};

} // namespace nestbed::program
