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
    // "x": never over a file that is there.
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wbx"), &std::fclose);
    if (!file)
        throw UsageError(fmt::format("--output {}: {}; allowed: a new file in a folder that can be written to", path,
                                     std::strerror(errno)));
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = static_cast<png_uint_32>(pixels.size() / width);
    image.format = PNG_FORMAT_GRAY;
    errno = 0; // the library says no more than that it failed
    const bool written = png_image_write_to_stdio(&image, file.get(), 0, bytes.data(), 0, nullptr) != 0;
    int error = errno;
    const bool closed = std::fclose(file.release()) == 0;
    if (error == 0 && !closed)
        error = errno;
    if (!written || !closed) {
        static_cast<void>(std::remove(path.c_str()));
        throw RunError(fmt::format("{}: the image could not be written: {}", path, std::strerror(error)));
    }
}

} // namespace nestbed
