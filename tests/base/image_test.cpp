// Images as PNG files: the library reads them back. An image never overwrites a file and is never half-written.
#include "base/image.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <png.h>

#include <limits>
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

} // namespace
} // namespace nestbed
