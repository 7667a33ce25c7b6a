// What rough estimates of the work of a case share (WorkloadInfo::work).
#pragma once

#include "model/case.hpp"

namespace nestbed
{

// About how many launches so many items make that threads find, of which `a_block` are in a block; `by_grid`:
// if all items of a grid share one launch.
double launches_of_items(const Case& point, double items, double a_block, double by_grid);

// The same of a recursion that divides its input into about so many leaves.
double launches_of_leaves(const Case& point, double leaves);
inline constexpr double kEstimatedLevels = 8;

// To sort so many items: each is processed once per halving.
double items_to_sort(double items);

} // namespace nestbed
