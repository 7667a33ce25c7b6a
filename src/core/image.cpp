#include "image.hpp"

#include "error.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace nestbed
{

namespace
{
[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("--output {}: {}; allowed: a new file in a folder that can be written to", path, why));
}
} // namespace

void check_image_path(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
        refuse(path, "it is there already, and nothing is overwritten");
}

void write_png(const std::string& path, std::span<const float> pixels, std::uint32_t width, float black, float white)
{
    constexpr float kWhite = 255;
    std::vector<png_byte> bytes(pixels.size());
    std::ranges::transform(pixels, bytes.begin(), [&](float pixel) {
        const float level = std::isnan(pixel) ? 0 : (pixel - black) / (white - black);
        return static_cast<png_byte>(std::lround(std::clamp(level, 0.0F, 1.0F) * kWhite));
    });
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = static_cast<png_uint_32>(pixels.size() / width);
    image.format = PNG_FORMAT_GRAY;
    const auto encode = [&](void* memory, png_alloc_size_t& size) {
        if (png_image_write_to_memory(&image, memory, &size, 0, bytes.data(), 0, nullptr) == 0)
            throw RunError(fmt::format("{}: the image could not be encoded: {}", path, image.message));
    };
    png_alloc_size_t size = 0;
    encode(nullptr, size);
    std::string encoded(size, '\0');
    encode(encoded.data(), size);

    check_image_path(path);
    const std::string partial = path + ".partial";
    std::ofstream file(partial, std::ios::binary);
    if (!file)
        refuse(path, std::strerror(errno));
    errno = 0;
    file.write(encoded.data(), static_cast<std::streamsize>(size));
    file.close();
    if (!file) {
        const int error = errno;
        static_cast<void>(std::remove(partial.c_str()));
        throw RunError(fmt::format("{}: the image could not be written: {}", path, std::strerror(error)));
    }
    std::filesystem::rename(partial, path);
}

} // namespace nestbed
