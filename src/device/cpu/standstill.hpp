// Whether the threads that give way wait for ever. A thread that has the same stack and the same registers as once before, while nothing
// has changed memory since, does the same again and again. If all that can run do so, and memory is as it was, nobody ever goes on.
#pragma once

#include "device/cpu/fiber.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestbed::cpu
{

struct Block;

// Threads that wait for each other, by what they do.
struct WaitingThreads {
    std::vector<const Carrier*> in_loops;
    std::vector<const Block*> at_barriers; // blocks with threads at a barrier
    std::size_t at_barrier = 0, at_warp = 0, for_children = 0;
    std::size_t launches = 0; // that cannot begin
    bool held_back = false;   // the threads that launched the grids of these cannot run before, by the schedule alone

    void add(const Block& block, std::span<Carrier* const> gave_way, std::size_t at_a_barrier,
             std::size_t in_exchange);
};

// What the run-time library of users' programs knows. The testbed's own kernels wait for atomics alone.
class UsersProgram
{
  public:
    UsersProgram() = default;
    UsersProgram(const UsersProgram&) = delete;
    UsersProgram& operator=(const UsersProgram&) = delete;
    virtual ~UsersProgram() = default;
    // A number for what memory contains.
    virtual std::uint64_t contents() = 0;
    // The host has other threads, which may write.
    virtual bool host_may_write() = 0;
    virtual std::string described(const WaitingThreads& threads) = 0;
};
extern UsersProgram* users_program;

class Standstill
{
  public:
    // Something happened that may let a thread go on that waits.
    void moved()
    {
        begin_epoch();
        calm_ = 0;
        contents_.reset();
        skips_ = 0;
        since_.reset();
    }
    // A thread has stopped, or its carrier has no thread any more.
    void stopped(Carrier& carrier, Carrier::Stop why);
    // So many threads can run: whether they may all be such that repeat what they did.
    bool may_all_repeat(std::size_t threads) const { return threads != 0 && repeating_ >= threads; }
    // All of these, which can run, do.
    bool all_repeat(std::span<Carrier* const> carriers) const;
    // All of these, which wait, have done so all the time, or repeat what they did.
    bool all_stay(std::span<Carrier* const> carriers) const;
    // The stops since something moved.
    std::uint64_t calm() const { return calm_; }
    // Call it if all repeat or stay and nothing else can run: whether they always will. `shared`: a number for the shared memory of their blocks.
    bool is_proved(std::uint64_t shared);

  private:
    void begin_epoch()
    {
        ++epoch_;
        repeating_ = 0;
    }

    std::uint64_t epoch_ = 1;
    std::size_t repeating_ = 0; // threads, in this epoch
    std::uint64_t calm_ = 0;
    std::optional<std::chrono::steady_clock::time_point> since_; // all repeat
    std::optional<std::uint64_t> contents_;
    unsigned skips_ = 0, skipped_ = 0; // epochs without a look at memory: it changes, and may be large
};

// A number for some bytes.
std::uint64_t number_for(const void* begin, std::size_t bytes, std::uint64_t before = 0);
// The same for the shared memory of a block.
std::uint64_t number_for_shared(const Block& block, std::uint64_t before);

// Throws a Fault that says so.
[[noreturn]] void fail(const WaitingThreads& threads);

} // namespace nestbed::cpu
