#include "workloads/quadtree/quadtree_picture.hpp"

#include "support/matchers.hpp"
#include "workloads/mandelbrot/dwell_picture.hpp"

#include <algorithm>

namespace nestbed
{
namespace
{

TEST(QuadtreePicture, HasAWhitePixelForEachPointAndTheEdgesOfTheSquares)
{
    // Two points in the lower left square, one in the upper right one: the root has too many.
    const QuadTree tree =
        make_quadtree({0x2000 | 0x2000U << 16, 0x3000 | 0x2000U << 16, 0xFFFF | 0xFFFFU << 16}, {2, 16});
    constexpr std::uint32_t kSide = 16;
    const std::vector<Rgb> picture = quadtree_picture(tree, kSide);
    ASSERT_EQ(picture.size(), kSide * kSide);
    const auto at = [&](std::uint32_t x, std::uint32_t y) { return picture[(kSide - 1 - y) * kSide + x]; };
    const Rgb white{255, 255, 255};
    EXPECT_EQ(std::ranges::count(picture, white), 3);
    EXPECT_EQ(at(2, 2), white);
    EXPECT_EQ(at(3, 2), white);
    EXPECT_EQ(at(15, 15), white);
    const Rgb root = colour_of_depth(0, 2);
    const Rgb child = colour_of_depth(1, 2);
    for (std::uint32_t place = 0; place < kSide; ++place) {
        EXPECT_EQ(at(place, 0), root); // over the edge of the lower left square
        EXPECT_EQ(at(0, place), root);
    }
    for (std::uint32_t place = 8; place < 15; ++place) {
        EXPECT_EQ(at(place, 8), child);
        EXPECT_EQ(at(8, place), child);
    }
    EXPECT_NE(at(7, 8), child);
    EXPECT_NE(at(8, 7), child);
}

TEST(QuadtreePicture, HasATableOfItsLevels)
{
    const QuadLimits limits{2, 16};
    const QuadTree tree =
        make_quadtree({0x2000 | 0x2000U << 16, 0x3000 | 0x2000U << 16, 0xFFFF | 0xFFFFU << 16}, limits);
    const std::string table = quadtree_table(tree, limits);
    EXPECT_THAT(table, ContainsRegex("\n +0  #[0-9a-f]+ +1 +1 +0\n +1  #[0-9a-f]+ +2 +0 +3\n"));
}

} // namespace
} // namespace nestbed
