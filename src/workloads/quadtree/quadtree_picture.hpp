// The picture of a quadtree: its points, and the squares of its nodes over them.
#pragma once

#include "base/colour.hpp"
#include "workloads/quadtree/quadtree_reference.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

// side * side pixels, the row with the largest y first. A pixel with points is white; each node draws the left and the lower
// edge of its square in the colour of its level (base/colour.hpp), those of the upper levels on top.
std::vector<Rgb> quadtree_picture(const QuadTree& tree, std::uint32_t side);

// Nodes and points by level, with the colours of the lines.
std::string quadtree_table(const QuadTree& tree, const QuadLimits& limits);

} // namespace nestbed
