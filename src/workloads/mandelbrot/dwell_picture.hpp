// The picture of the workload `mandelbrot`: its dwells in colours, and the launch tree over them.
#pragma once

#include "base/colour.hpp"
#include "workloads/mandelbrot/mandelbrot_reference.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestbed
{

// The colours of nx * ny dwells, from the top row of the picture: the image has the bottom row of the window first.
// Pixels with the greatest dwell, `most`, are in the set and nearly black. The others go from dark blue to light gold,
// in steps that look equal, by a mean of their logarithm and their rank.
std::vector<Rgb> coloured_dwells(std::span<const float> dwells, std::uint32_t nx, std::uint32_t most);

// What became of the regions at each depth of the tree.
struct TreeLevel {
    std::uint64_t divided = 0, filled = 0, computed = 0;

    std::uint64_t regions() const { return divided + filled + computed; }
};
std::vector<TreeLevel> levels_of(const std::vector<RegionNode>& nodes);

// Darkens the picture and draws the outlines of all regions of the tree over it, those of the upper levels on top.
void draw_tree(std::vector<Rgb>& picture, std::uint32_t nx, const std::vector<RegionNode>& nodes);

// The levels as a table, with the colours of the outlines.
std::string tree_table(const std::vector<TreeLevel>& levels);

} // namespace nestbed
