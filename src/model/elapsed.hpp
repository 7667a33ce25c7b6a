// What a timed region took: the same on both backends.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace nestbed
{

struct Elapsed {
    std::optional<double> gpu_us;               // between two events
    double wall_us = 0;                         // on the host's steady clock
    std::optional<std::uint32_t> host_launches; // empty: a library made them
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
