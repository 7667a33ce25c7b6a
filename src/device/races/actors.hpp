// Who clocks have times of.
#pragma once

#include "device/cpu/executor.hpp"

#include <cstdint>

namespace nestbed::races
{

inline constexpr std::uint64_t kMaxBlocks = 0xFFFFF; // that an actor's number has room for

// Actors of clocks. The time of a thread is its epoch; of a block, its phase; a grid has one, its end.
inline std::uint64_t actor_of(std::uint32_t grid, std::uint64_t block, std::uint64_t slot)
{
    return std::uint64_t{grid} << 32U | block << 12U | slot;
}
inline std::uint64_t thread_actor(std::uint32_t grid, std::uint32_t block, std::uint16_t thread)
{
    return actor_of(grid, block, thread + 1ULL);
}
// In place of the thread: the copies that go on beside it, in lanes 1 to 3.
inline std::uint16_t copier_of(std::uint16_t thread, unsigned lane = 1)
{
    return static_cast<std::uint16_t>(thread + lane * cpu::kMaxThreadsPerBlock);
}
inline bool is_copier(std::uint16_t thread)
{
    return thread >= cpu::kMaxThreadsPerBlock;
}
inline std::uint64_t block_actor(std::uint32_t grid, std::uint32_t block)
{
    return actor_of(grid, block, 0);
}
inline constexpr std::uint32_t kHost = 0xFFFFFFFF;  // in place of a grid, in an access
inline constexpr std::uint64_t kManyBlocks = ~0ULL; // is no actor
inline std::uint64_t grid_actor(std::uint32_t grid)
{
    return actor_of(grid, kMaxBlocks, 0);
}

} // namespace nestbed::races
