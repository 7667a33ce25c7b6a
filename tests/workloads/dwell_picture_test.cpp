// The picture of the Mandelbrot set: colours that rise with the dwell, and the outlines of the regions.
#include "workloads/mandelbrot/dwell_picture.hpp"

#include "support/matchers.hpp"

#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

int light_of(const Rgb& colour)
{
    return 2 * colour.red + 5 * colour.green + colour.blue; // about as the eye weighs them
}

TEST(DwellPicture, GetsLighterWithTheDwellAndIsNearlyBlackInTheSet)
{
    const std::vector<float> dwells{1, 2, 5, 20, 100, 511, 512};
    const std::vector<Rgb> picture = coloured_dwells(dwells, 7, 512);
    for (std::size_t pixel = 1; pixel + 1 < picture.size(); ++pixel)
        EXPECT_GT(light_of(picture[pixel]), light_of(picture[pixel - 1])) << pixel;
    EXPECT_LT(light_of(picture.back()), light_of(picture.front()));
}

// Converted from OKLCH to sRGB by another program.
TEST(DwellPicture, HasTheColoursOfItsScales)
{
    const std::vector<Rgb> picture = coloured_dwells(std::vector<float>{0, 9}, 2, 10);
    EXPECT_EQ(picture.at(0), (Rgb{13, 14, 60}));
    EXPECT_EQ(colour_of_depth(0, 1), (Rgb{249, 245, 230}));
    EXPECT_EQ(colour_of_depth(0, 5), (Rgb{249, 245, 230}));
    EXPECT_EQ(colour_of_depth(2, 5), (Rgb{248, 160, 116}));
    EXPECT_EQ(colour_of_depth(4, 5), (Rgb{222, 41, 123}));
}

TEST(DwellPicture, HasTheTopOfTheWindowFirst)
{
    const std::vector<float> dwells{1, 1, 9, 9}; // the bottom row first
    const std::vector<Rgb> picture = coloured_dwells(dwells, 2, 9);
    EXPECT_EQ(picture[0], picture[1]);
    EXPECT_LT(light_of(picture[0]), light_of(picture[2]));
}

TEST(DwellPicture, OfOneDwellHasOneColour)
{
    const std::vector<Rgb> picture = coloured_dwells(std::vector<float>{3, 3, 3, 3}, 2, 4);
    EXPECT_THAT(picture, Each(picture.front()));
}

// 4 x 4 pixels in one part that is divided into four, of which three are computed.
std::vector<RegionNode> one_division()
{
    return {{{0, 0, 4, 4}, RegionFate::divided, 0, 4, 1},
            {{0, 0, 2, 2}, RegionFate::computed, 1, 0, 0},
            {{2, 0, 2, 2}, RegionFate::computed, 1, 0, 0},
            {{0, 2, 2, 2}, RegionFate::filled, 1, 0, 0},
            {{2, 2, 2, 2}, RegionFate::computed, 1, 0, 0}};
}

TEST(DwellPicture, HasTheOutlinesOfTheTreeWithTheUpperLevelsOnTop)
{
    std::vector<Rgb> picture(16, Rgb{0, 0, 0});
    draw_tree(picture, 4, one_division());
    const auto at = [&](unsigned x, unsigned y) { return picture[(3 - y) * 4 + x]; };
    for (unsigned pixel = 0; pixel < 4; ++pixel) {
        EXPECT_EQ(at(pixel, 0), colour_of_depth(0, 2));
        EXPECT_EQ(at(0, pixel), colour_of_depth(0, 2));
    }
    const Rgb deeper = at(2, 1);
    EXPECT_GT(light_of(deeper), 0);
    EXPECT_LT(light_of(deeper), light_of(colour_of_depth(0, 2)));
    EXPECT_EQ(at(2, 3), deeper);
    EXPECT_EQ(at(1, 2), deeper);
    for (const auto& [x, y] : {std::pair(1U, 1U), std::pair(3U, 1U), std::pair(1U, 3U), std::pair(3U, 3U)})
        EXPECT_EQ(at(x, y), (Rgb{0, 0, 0})) << x << ", " << y;
}

TEST(DwellPicture, CountsTheRegionsOfEachDepthWithoutEmptyOnes)
{
    std::vector<RegionNode> nodes = one_division();
    nodes.push_back({{4, 4, 0, 0}, RegionFate::filled, 1, 0, 0});
    const std::vector<TreeLevel> levels = levels_of(nodes);
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[0].divided, 1U);
    EXPECT_EQ(levels[1].regions(), 4U);
    EXPECT_EQ(levels[1].filled, 1U);
    EXPECT_EQ(levels[1].computed, 3U);
    EXPECT_THAT(tree_table(levels), AllOf(HasSubstr("depth"), HasSubstr("#"), HasSubstr("computed")));
}

} // namespace
} // namespace nestbed
