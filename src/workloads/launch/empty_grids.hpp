// The workload `fanout`: grids without work.
#pragma once

#include <cstdint>

namespace nestbed
{

// The most launches of a case: 1 GiB of marks.
inline constexpr std::uint64_t kMaxEmptyGrids = 1U << 26;

} // namespace nestbed
