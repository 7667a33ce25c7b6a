#include "base/image.hpp"

#include "base/error.hpp"
#include "base/new_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nestbed
{

namespace
{

void write_encoded(const std::string& path, const void* pixels, png_uint_32 format, std::uint32_t width,
                   std::size_t height, bool overwrite)
{
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = static_cast<png_uint_32>(height);
    image.format = format;
    const auto encode = [&](void* memory, png_alloc_size_t& size) {
        if (png_image_write_to_memory(&image, memory, &size, 0, pixels, 0, nullptr) == 0)
            throw RunError(fmt::format("{}: the image could not be encoded: {}", path, image.message));
    };
    png_alloc_size_t size = 0;
    encode(nullptr, size);
    std::string encoded(size, '\0');
    encode(encoded.data(), size);

    OutputFile(path, overwrite).write(encoded, "the image");
}

} // namespace

void write_png(const std::string& path, std::span<const float> pixels, std::uint32_t width, float black, float white,
               bool overwrite)
{
    constexpr float kWhite = 255;
    std::vector<png_byte> bytes(pixels.size());
    std::ranges::transform(pixels, bytes.begin(), [&](float pixel) {
        const float level = std::isnan(pixel) ? 0 : (pixel - black) / (white - black);
        return static_cast<png_byte>(std::lround(std::clamp(level, 0.0F, 1.0F) * kWhite));
    });
    write_encoded(path, bytes.data(), PNG_FORMAT_GRAY, width, pixels.size() / width, overwrite);
}

void write_png(const std::string& path, std::span<const Rgb> pixels, std::uint32_t width, bool overwrite)
{
    static_assert(sizeof(Rgb) == 3, "libpng reads three bytes per pixel");
    write_encoded(path, pixels.data(), PNG_FORMAT_RGB, width, pixels.size() / width, overwrite);
}

} // namespace nestbed
