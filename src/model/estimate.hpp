// What estimates of workloads share: rough times on an H200, whose launch model is built in (predict/roofline_file.hpp).
#pragma once

#include "model/case.hpp"

namespace nestbed
{

inline constexpr double kKernelCallUs = 15; // one kernel that the host launches and waits for

// Per byte that a copy reads or writes: 3783 GB/s, `copy` in results/h200/model.json.
inline constexpr double kCopiedByteUs = 1 / 3783e3;

// About how many launches so many items make that threads find, of which `a_block` are in a block; `by_grid`:
// if all items of a grid share one launch.
double launches_of_items(const Case& point, double items, double a_block, double by_grid);

// The same of a recursion that divides its input into about so many leaves.
double launches_of_leaves(const Case& point, double leaves);
inline constexpr double kEstimatedLevels = 8;

} // namespace nestbed
