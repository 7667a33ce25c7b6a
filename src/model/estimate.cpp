#include "model/estimate.hpp"

#include "model/request_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace nestbed
{

double launches_of_items(const Case& point, double items, double a_block, double by_grid)
{
    if (blocks_per_group(point.aggregate) == 0)
        return by_grid;
    if (point.aggregate == Aggregate::none)
        return items;
    constexpr double kWarp = 32;
    const double a_group =
        point.aggregate == Aggregate::warp ? std::min(a_block, kWarp) : a_block * blocks_per_group(point.aggregate);
    return std::max(1.0, items / a_group);
}

double launches_of_leaves(const Case& point, double leaves)
{
    return blocks_per_group(point.aggregate) == 0 ? std::min(kEstimatedLevels, leaves) : leaves;
}

double items_to_sort(double items)
{
    return items * std::log2(std::max(2.0, items));
}

} // namespace nestbed
