// Colours of pictures, compared with what the published matrices from sRGB to OKLCH make of these bytes.
#include "base/colour.hpp"

#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

void expect_colour(const Rgb& colour, const Rgb& expected, const char* what)
{
    EXPECT_EQ(static_cast<unsigned>(colour.red), static_cast<unsigned>(expected.red)) << what;
    EXPECT_EQ(static_cast<unsigned>(colour.green), static_cast<unsigned>(expected.green)) << what;
    EXPECT_EQ(static_cast<unsigned>(colour.blue), static_cast<unsigned>(expected.blue)) << what;
}

TEST(RgbOf, IsTheColourOfSrgb)
{
    expect_colour(rgb_of({0, 0, 0}), {0, 0, 0}, "black");
    expect_colour(rgb_of({1, 0, 0}), {255, 255, 255}, "white");
    expect_colour(rgb_of({0.599871, 0, 0}), {128, 128, 128}, "grey");
    expect_colour(rgb_of({0.440272, 0.160296, 303.3730}), {102, 51, 153}, "rebeccapurple");
    expect_colour(rgb_of({0.634398, 0.154992, 50.2665}), {210, 105, 30}, "chocolate");
    expect_colour(rgb_of({0.543123, 0.092710, 194.7689}), {0, 128, 128}, "teal");
    expect_colour(rgb_of({0.735002, 0.151508, 28.0605}), {250, 128, 114}, "salmon");
    expect_colour(rgb_of({0.106483, 0.017735, 305.1593}), {5, 3, 8}, "nearly black: the straight part of the curve");
}

// A colour that sRGB does not have: each part is the nearest that it has.
TEST(RgbOf, CutsOffWhatSrgbDoesNotHave)
{
    expect_colour(rgb_of({0.627955, 0.4, 29.2339}), {255, 0, 0}, "more than red");
    expect_colour(rgb_of({1.5, 0, 0}), {255, 255, 255}, "more than white");
}

TEST(ColourOfDepth, GoesFromPaleYellowToPink)
{
    expect_colour(colour_of_depth(0, 5), rgb_of({0.97, 0.02, 95}), "the root");
    expect_colour(colour_of_depth(2, 5), rgb_of({0.785, 0.12, 47.5}), "half way");
    expect_colour(colour_of_depth(4, 5), rgb_of({0.60, 0.22, 0}), "the last level");
    expect_colour(colour_of_depth(1, 2), rgb_of({0.60, 0.22, 0}), "the second of two");
    expect_colour(colour_of_depth(0, 1), rgb_of({0.97, 0.02, 95}), "a root alone");
}

} // namespace
} // namespace nestbed
