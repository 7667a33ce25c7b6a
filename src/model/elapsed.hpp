// The times of a timed region. Both backends use this type.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

namespace nestbed
{

struct Elapsed {
    std::optional<double> gpu_us;               // between two events
    bool held = false;                          // gpu_us contains no host time (Submit::held)
    double wall_us = 0;                         // on the host's steady clock
    std::optional<std::uint32_t> host_launches; // empty: a library made them
    std::optional<double> prepare_us;           // to prepare the strategy, before the timed region
};

// How to time a region.
struct Timing {
    bool held = false;    // as Submit::held, if the region allows it
    bool flushed = false; // as CacheState::flushed
};

// A clock of the host that starts when it is made. Not <chrono>: every file that nvcc compiles includes this one, and would take
// half a second longer.
template <clockid_t Clock>
class HostClock
{
  public:
    double elapsed_us() const
    {
        const std::timespec now = read();
        return 1e6 * static_cast<double>(now.tv_sec - start_.tv_sec) +
               1e-3 * static_cast<double>(now.tv_nsec - start_.tv_nsec);
    }

  private:
    static std::timespec read()
    {
        std::timespec now{};
        clock_gettime(Clock, &now);
        return now;
    }

    std::timespec start_ = read();
};

using WallClock = HostClock<CLOCK_MONOTONIC>;
using ThreadClock = HostClock<CLOCK_THREAD_CPUTIME_ID>; // the processor time of the calling thread

} // namespace nestbed
