// The workload `mandelbrot`: the image of a part of the plane by the algorithm of Mariani and Silver, sequentially, with
// its tree of regions. Pure.
//
// A region whose border has one dwell is filled with it. Another region is divided if a side of its parts would be longer
// than the grain, and computed pixel by pixel otherwise. (The border test is a heuristic: a region with a uniform border may hold
// pixels of another dwell. `pixels_off` counts them.)
// Source: R. Munafo, "Mariani-Silver Algorithm", Mu-Ency; Adinets, "Adaptive Parallel Computation with CUDA Dynamic
// Parallelism", NVIDIA 2014.
#pragma once

#include "model/case.hpp"
#include "model/request_oracle.hpp"

#include <cstdint>
#include <vector>

namespace nestbed
{

// Pixels [x, x + width) by [y, y + height) of the image.
struct Region {
    unsigned x, y, width, height;
};

// Part `index` of `parts` * `parts` parts of a region, by rows. All but the last of a row or a column have the same
// sides; the last ones are smaller, or empty.
constexpr Region part_of_region(const Region& whole, unsigned parts, unsigned index)
{
    const unsigned width = (whole.width - 1) / parts + 1;
    const unsigned height = (whole.height - 1) / parts + 1;
    const unsigned left = index % parts * width;
    const unsigned top = index / parts * height;
    const unsigned right = left + width < whole.width ? left + width : whole.width;
    const unsigned bottom = top + height < whole.height ? top + height : whole.height;
    return {whole.x + left, whole.y + top, left < right ? right - left : 0, top < bottom ? bottom - top : 0};
}

constexpr bool is_empty(const Region& region)
{
    return region.width == 0 || region.height == 0;
}

// Whether the parts would be longer than the grain.
constexpr bool may_divide(const Region& region, unsigned parts, unsigned grain)
{
    return (region.width - 1) / parts + 1 > grain || (region.height - 1) / parts + 1 > grain;
}

// Pixels of the border, of a region that is not empty.
constexpr unsigned border_pixels(const Region& region)
{
    return region.width == 1 || region.height == 1 ? region.width * region.height
                                                   : 2 * (region.width + region.height) - 4;
}

// A part of the plane, and how it maps to pixels: pixel (x, y) is the point (left + x * step_x, bottom + y * step_y).
struct PlaneWindow {
    float left, bottom, step_x, step_y;
};
PlaneWindow window_of(const Case& point);

enum class RegionFate : std::uint8_t { filled, computed, divided };

// A region of the tree. The parts of a divided region follow each other from `first_part` on, without the empty ones.
struct RegionNode {
    Region region;
    RegionFate fate;
    std::uint8_t depth; // 0: a part of the image
    std::uint16_t parts;
    std::uint32_t first_part;
};

// The image and its tree: nx * ny dwells by rows; `nodes` begins with the division * division parts of the image, of
// which some may be empty.
struct MandelbrotReference {
    std::vector<std::uint32_t> dwells;
    std::vector<RegionNode> nodes;
    std::uint64_t iterations = 0; // of the sequential recursion
};

// On all cores.
MandelbrotReference mandelbrot_reference(const Case& point);

// How often a part of the image can be divided, whatever it shows.
std::uint32_t max_mandelbrot_levels(const Case& point);

// The dwell of the pixel at index y * nx + x, without the recursion.
std::uint32_t dwell_of_pixel(const Case& point, std::uint64_t index);

// What block `block` requests (count_requests()). Each part of a divided region is an item; with `naive`, so is the region
// that must be filled or computed. Items are node * 4 + RegionTask.
enum class RegionTask : std::uint8_t { test, fill, compute };
void mandelbrot_requests(const MandelbrotReference& reference, const Case& point, bool naive, const ItemBlock& block,
                         std::vector<ChildRequest>& requests);

} // namespace nestbed
