// The executor's schedule: the order in which it runs what CUDA's rules leave unordered (device/cpu/executor.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nestbed
{

struct Schedule {
    enum class Order : std::uint8_t { fifo, eager, random };
    Order order = Order::fifo;
    std::uint64_t seed = 0; // only for random
};
// "fifo", "eager" or "random:SEED". Throws UsageError.
Schedule parse_schedule(std::string_view text);
std::string name_of(const Schedule& schedule);

// The seed of a sample's random draws under `random`. It derives from the key of the case (key_of(), which includes
// SEED) and from the repetition.
std::uint64_t seed_of_run(const std::string& key, unsigned repetition);

// Each worker may have about 2000 fibers. The stack of each fiber with its guard page takes two of the 65530 memory
// mappings that Linux allows per process. This explains the upper bound.
inline constexpr unsigned kMaxWorkers = 12;

} // namespace nestbed
