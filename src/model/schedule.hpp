// The executor's schedule: in which order it runs what CUDA's rules leave open (device/cpu/executor.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nestbed
{

struct Schedule {
    enum class Order : std::uint8_t { fifo, eager, random };
    Order order = Order::fifo;
    std::uint64_t seed = 0; // random only
};
// "fifo", "eager" or "random:SEED". Throws UsageError.
Schedule parse_schedule(std::string_view text);
std::string name_of(const Schedule& schedule);

// The number that a sample's draws under `random` come from: of the key of its case (key_of(), which covers SEED) and its repetition.
std::uint64_t draws_of(const std::string& key, unsigned repetition);

// Each worker may hold some 2000 fibers, and each fiber's stack with its guard page takes two memory mappings
// of the 65530 that Linux allows a process: hence the upper bound.
inline constexpr unsigned kMaxWorkers = 12;

} // namespace nestbed
