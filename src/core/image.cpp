#include "image.hpp"

#include "error.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace nestbed
{

void write_png(const std::string& path, std::span<const float> pixels, std::uint32_t width, float black, float white)
{
    constexpr float kWhite = 255;
    std::vector<png_byte> bytes(pixels.size());
    std::ranges::transform(pixels, bytes.begin(), [&](float pixel) {
        const float level = std::isnan(pixel) ? 0 : (pixel - black) / (white - black);
        return static_cast<png_byte>(std::lround(std::clamp(level, 0.0F, 1.0F) * kWhite));
    });
    const auto refuse = [&](const std::string& why) {
        throw UsageError(
            fmt::format("--output {}: {}; allowed: a new file in a folder that can be written to", path, why));
    };
    // "x": never over a file that is there.
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wbx"), &std::fclose);
    if (!file)
        refuse(std::strerror(errno));
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = static_cast<png_uint_32>(pixels.size() / width);
    image.format = PNG_FORMAT_GRAY;
    if (png_image_write_to_stdio(&image, file.get(), 0, bytes.data(), 0, nullptr) == 0 ||
        std::fflush(file.get()) != 0) {
        const std::string why = image.message[0] != '\0' ? image.message : std::strerror(errno);
        static_cast<void>(std::remove(path.c_str()));
        refuse(why);
    }
}

} // namespace nestbed
