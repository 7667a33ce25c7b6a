// The image by the algorithm of Mariani and Silver, and its tree, compared with a plain recursion over single pixels.
#include "workloads/mandelbrot/mandelbrot_reference.hpp"

#include "support/matchers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

Case image(std::uint32_t nx, std::uint32_t ny, InputKind input = InputKind("set"))
{
    Case point{.strategy = "any", .elements = std::uint64_t{nx} * ny, .grid = 0, .block = 64, .nx = nx, .ny = ny};
    point.input = input;
    point["dwell"] = 64;
    point["division"] = 3;
    point["fanout"] = 2;
    point["grain"] = 4;
    point.coarsen = 1;
    return point;
}

std::vector<Case> many_images()
{
    std::vector<Case> points;
    for (const InputKind input : {InputKind("set"), InputKind("interior"), InputKind("exterior"), InputKind("dust")})
        for (const auto& [nx, ny] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                 {1, 1}, {2, 1}, {1, 50}, {53, 1}, {2, 2}, {61, 47}, {64, 64}, {97, 33}, {128, 128}})
            for (const std::uint32_t division : {1U, 3U, 7U})
                for (const std::uint32_t fanout : {2U, 3U}) {
                    points.push_back(image(nx, ny, input));
                    points.back()["division"] = division;
                    points.back()["fanout"] = fanout;
                }
    return points;
}

std::string name_of_image(const Case& point)
{
    return std::string(name_of(point.input)) + " " + std::to_string(point.nx) + " x " + std::to_string(point.ny) +
           " division " + std::to_string(point["division"]) + " fanout " + std::to_string(point["fanout"]);
}

// Counts regions by pixels alone: it shares neither the border's walk nor the parts with the code under test.
struct Counted {
    std::uint64_t regions = 0; // not empty
    std::uint64_t divided = 0;
    std::uint64_t filled = 0;
    std::uint64_t computed = 0;
};

void count(const Case& point, unsigned left, unsigned right, unsigned top, unsigned bottom, Counted& counts)
{
    if (left >= right || top >= bottom)
        return;
    ++counts.regions;
    const std::uint32_t first = dwell_of_pixel(point, std::uint64_t{top} * point.nx + left);
    bool uniform = true;
    for (unsigned y = top; y < bottom; ++y)
        for (unsigned x = left; x < right; ++x)
            if (x == left || x == right - 1 || y == top || y == bottom - 1)
                uniform = uniform && dwell_of_pixel(point, std::uint64_t{y} * point.nx + x) == first;
    const unsigned width = (right - left + point["fanout"] - 1) / point["fanout"];
    const unsigned height = (bottom - top + point["fanout"] - 1) / point["fanout"];
    if (uniform) {
        ++counts.filled;
    } else if (width <= point["grain"] && height <= point["grain"]) {
        ++counts.computed;
    } else {
        ++counts.divided;
        for (unsigned y = top; y < bottom; y += height)
            for (unsigned x = left; x < right; x += width)
                count(point, x, std::min(x + width, right), y, std::min(y + height, bottom), counts);
    }
}

Counted counted_image(const Case& point)
{
    Counted counts;
    const unsigned width = (point.nx + point["division"] - 1) / point["division"];
    const unsigned height = (point.ny + point["division"] - 1) / point["division"];
    for (unsigned y = 0; y < point.ny; y += height)
        for (unsigned x = 0; x < point.nx; x += width)
            count(point, x, std::min(x + width, point.nx), y, std::min(y + height, point.ny), counts);
    return counts;
}

std::uint64_t nodes_with(const MandelbrotReference& reference, RegionFate fate)
{
    return static_cast<std::uint64_t>(std::ranges::count_if(
        reference.nodes, [&](const RegionNode& node) { return !is_empty(node.region) && node.fate == fate; }));
}

RequestOracle image_oracle(const MandelbrotReference& reference, const Case& point, bool naive)
{
    return count_requests(point, point["division"] * point["division"],
                          [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
                              mandelbrot_requests(reference, point, naive, block, requests);
                          });
}

TEST(PartsOfARegion, CoverItExactlyOnce)
{
    for (unsigned width = 1; width <= 23; ++width)
        for (unsigned height = 1; height <= 23; ++height)
            for (unsigned parts = 1; parts <= 7; ++parts) {
                std::vector<int> covered(std::size_t{width} * height);
                for (unsigned index = 0; index < parts * parts; ++index) {
                    const Region part = part_of_region({100, 200, width, height}, parts, index);
                    for (unsigned y = 0; y < part.height; ++y)
                        for (unsigned x = 0; x < part.width; ++x)
                            ++covered.at(std::size_t{part.y + y - 200} * width + part.x + x - 100);
                }
                ASSERT_THAT(covered, Each(1)) << width << " x " << height << " in " << parts;
            }
}

TEST(BorderPixels, AreThoseOfTheSides)
{
    const auto border = [](unsigned width, unsigned height) { return border_pixels({3, 4, width, height}); };
    EXPECT_EQ(border(1, 1), 1U);
    EXPECT_EQ(border(1, 9), 9U);
    EXPECT_EQ(border(9, 1), 9U);
    EXPECT_EQ(border(2, 2), 4U);
    EXPECT_EQ(border(3, 3), 8U);
    EXPECT_EQ(border(10, 7), 30U);
}

TEST(Mandelbrot, DwellsAreThoseOfTheDefinition)
{
    Case point = image(200, 200);
    point["dwell"] = 1000;
    EXPECT_EQ(dwell_of_pixel(point, 100 * 200 + 150), 1000U); // the point 0
    EXPECT_EQ(dwell_of_pixel(point, 100 * 200 + 50), 1000U);  // -1: 0, -1, 0, -1, ...
    point.input = InputKind("exterior");
    EXPECT_EQ(dwell_of_pixel(point, 0), 5U); // 0.5 + 0.5i: |z| is 0, 0.71, 1.12, 1.52, 1.71; then 3.55
}

TEST(Mandelbrot, TreeIsThatOfAPlainRecursion)
{
    for (const Case& point : many_images()) {
        SCOPED_TRACE(name_of_image(point));
        const MandelbrotReference reference = mandelbrot_reference(point);
        const Counted counts = counted_image(point);
        EXPECT_EQ(nodes_with(reference, RegionFate::divided), counts.divided);
        EXPECT_EQ(nodes_with(reference, RegionFate::filled), counts.filled);
        EXPECT_EQ(nodes_with(reference, RegionFate::computed), counts.computed);
    }
}

TEST(Mandelbrot, PartsOfANodeFollowEachOtherAndAreOneLevelDeeper)
{
    const Case point = image(97, 61);
    const MandelbrotReference reference = mandelbrot_reference(point);
    std::vector<int> parents(reference.nodes.size());
    for (const RegionNode& node : reference.nodes) {
        EXPECT_EQ(node.parts != 0, node.fate == RegionFate::divided);
        std::uint64_t pixels = 0;
        for (std::uint32_t part = node.first_part; part < node.first_part + node.parts; ++part) {
            ++parents.at(part);
            EXPECT_EQ(reference.nodes[part].depth, node.depth + 1);
            pixels += std::uint64_t{reference.nodes[part].region.width} * reference.nodes[part].region.height;
        }
        if (node.parts != 0) {
            EXPECT_EQ(pixels, std::uint64_t{node.region.width} * node.region.height);
        }
    }
    for (std::size_t node = 0; node < parents.size(); ++node)
        EXPECT_EQ(parents[node], node < 9 ? 0 : 1) << node;
}

TEST(Mandelbrot, ImageDiffersFromTheExhaustiveOneOnlyInsideFilledRegions)
{
    for (const Case& point : many_images()) {
        SCOPED_TRACE(name_of_image(point));
        const MandelbrotReference reference = mandelbrot_reference(point);
        std::vector<bool> may_differ(point.elements);
        for (const RegionNode& node : reference.nodes) {
            const Region& region = node.region;
            if (node.fate != RegionFate::filled || is_empty(region))
                continue;
            for (unsigned y = region.y + 1; y + 1 < region.y + region.height; ++y)
                for (unsigned x = region.x + 1; x + 1 < region.x + region.width; ++x)
                    may_differ[std::size_t{y} * point.nx + x] = true;
        }
        std::uint64_t wrong = 0;
        for (std::uint64_t index = 0; index < point.elements; ++index)
            wrong += !may_differ[index] && reference.dwells[index] != dwell_of_pixel(point, index) ? 1 : 0;
        EXPECT_EQ(wrong, 0U);
    }
}

TEST(Mandelbrot, LaunchesArePartsAndLeaves)
{
    for (const Case& shape : many_images()) {
        SCOPED_TRACE(name_of_image(shape));
        Case point = shape;
        point.aggregate = Aggregate::none;
        const MandelbrotReference reference = mandelbrot_reference(point);
        const Counted counts = counted_image(point);
        const Region whole{0, 0, point.nx, point.ny};
        std::uint64_t roots = 0;
        for (unsigned part = 0; part < point["division"] * point["division"]; ++part)
            roots += is_empty(part_of_region(whole, point["division"], part)) ? 0 : 1;
        EXPECT_EQ(image_oracle(reference, point, false).launches.total(), counts.regions - roots);
        EXPECT_EQ(image_oracle(reference, point, true).launches.total(),
                  counts.regions - roots + counts.filled + counts.computed);
        point.aggregate = Aggregate::block; // one per divided region; naive: and one per leaf
        EXPECT_EQ(image_oracle(reference, point, false).launches.total(), counts.divided);
        EXPECT_EQ(image_oracle(reference, point, true).launches.total(), counts.regions);
        point.aggregate = Aggregate::grid;
        const RequestOracle levels = image_oracle(reference, point, false);
        EXPECT_EQ(levels.launches.total(), levels.launches.levels());
        point.depth = 0;
        EXPECT_EQ(image_oracle(reference, point, true).launches.total(), 0U);
    }
}

TEST(Mandelbrot, InteriorIsOneFillPerRoot)
{
    for (const std::uint32_t division : {1U, 4U, 5U}) {
        Case point = image(90, 70, InputKind("interior"));
        point["division"] = division;
        point.aggregate = Aggregate::none;
        const MandelbrotReference reference = mandelbrot_reference(point);
        EXPECT_THAT(reference.dwells, Each(point["dwell"]));
        EXPECT_EQ(reference.nodes.size(), division * division);
        EXPECT_EQ(nodes_with(reference, RegionFate::filled), division * division);
        EXPECT_EQ(image_oracle(reference, point, false).launches.total(), 0U);
        EXPECT_EQ(image_oracle(reference, point, true).launches.total(), division * division);
        EXPECT_LT(reference.iterations, point.elements * point["dwell"]); // the borders alone
    }
}

TEST(Mandelbrot, HasNoMoreLevelsThanTheBoundAndReachesItWhereTheBorderIs)
{
    for (const Case& point : many_images()) {
        std::uint32_t deepest = 0;
        for (const RegionNode& node : mandelbrot_reference(point).nodes)
            deepest = std::max<std::uint32_t>(deepest, node.depth);
        EXPECT_LE(deepest, max_mandelbrot_levels(point)) << name_of_image(point);
        if (point.input == InputKind("set") && point.nx == 128) {
            EXPECT_EQ(deepest, max_mandelbrot_levels(point)) << name_of_image(point);
        }
    }
}

} // namespace
} // namespace nestbed
