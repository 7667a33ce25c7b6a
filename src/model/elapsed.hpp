// The times of a timed region. Both backends use this type.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace nestbed
{

struct Elapsed {
    std::optional<double> gpu_us;               // between two events
    bool held = false;                          // gpu_us contains no host time (Submit::held)
    double wall_us = 0;                         // on the host's steady clock
    std::optional<std::uint32_t> host_launches; // empty: a library made them
};

// How to time a region.
struct Timing {
    bool held = false;    // as Submit::held, if the region allows it
    bool flushed = false; // as CacheState::flushed
};

class WallClock
{
  public:
    double elapsed_us() const
    {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace nestbed
