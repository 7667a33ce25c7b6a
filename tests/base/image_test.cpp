// Images as PNG files: the library reads them back. An image never overwrites a file.
// Colours, compared with what the published matrices from sRGB to OKLCH make of these bytes.
#include "base/image.hpp"

#include "base/colour.hpp"
#include "base/error.hpp"
#include "support/matchers.hpp"
#include "support/support.hpp"

#include <limits>
#include <png.h>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

struct Picture {
    unsigned width = 0;
    unsigned height = 0;
    std::vector<unsigned char> bytes;
};

Picture read_png(const std::string& path, png_uint_32 format = PNG_FORMAT_GRAY)
{
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
    image.format = format;
    Picture picture{image.width, image.height, std::vector<unsigned char>(PNG_IMAGE_SIZE(image))};
    EXPECT_NE(png_image_finish_read(&image, nullptr, picture.bytes.data(), 0, nullptr), 0) << image.message;
    return picture;
}

using Image = InFolder;

TEST_F(Image, GoesFromBlackToWhiteByRowsAndCutsOffWhatIsPastThem)
{
    const std::vector<float> pixels{0, 1, 2, 4, 5, std::numeric_limits<float>::quiet_NaN()};
    write_png(folder.path("a.png"), pixels, 3, 0, 4);
    const Picture picture = read_png(folder.path("a.png"));
    EXPECT_EQ(picture.width, 3U);
    EXPECT_EQ(picture.height, 2U);
    EXPECT_THAT(picture.bytes, ElementsAre(0, 64, 128, 255, 255, 0));
}

TEST_F(Image, InColourHasItsPixelsByRows)
{
    const std::vector<Rgb> pixels{{1, 2, 3}, {255, 0, 7}};
    write_png(folder.path("a.png"), pixels, 1);
    const Picture picture = read_png(folder.path("a.png"), PNG_FORMAT_RGB);
    EXPECT_EQ(picture.width, 1U);
    EXPECT_EQ(picture.height, 2U);
    EXPECT_THAT(picture.bytes, ElementsAre(1, 2, 3, 255, 0, 7));
}

TEST_F(Image, IsNeverWrittenOverAFile)
{
    folder.write("a.png", "mine");
    EXPECT_THAT(text_of<UsageError>([&] { write_png(folder.path("a.png"), std::vector<float>{1}, 1, 0, 1); }),
                AllOf(HasSubstr("--output " + folder.path("a.png")), HasSubstr("nothing is overwritten"),
                      HasSubstr("allowed:")));
    EXPECT_EQ(folder.read("a.png"), "mine");
}

// ---- colours ----

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
