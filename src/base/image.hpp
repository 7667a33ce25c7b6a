// Writes the result of a workload that draws an image as a PNG file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace nestbed
{

// A grey image: pixels of value `black` become black and those of value `white` white. Values outside this range, and
// NaN, become black or white too. `pixels` contains rows of `width` pixels. The image is written to a temporary file
// beside `path`, which is then renamed. Throws UsageError that names --output if the file already exists, unless it
// is to be overwritten, or cannot be created. Throws RunError if the file cannot be written completely; no file is left then.
void write_png(const std::string& path, std::span<const float> pixels, std::uint32_t width, float black, float white,
               bool overwrite = false);

// A colour of the colour space sRGB.
struct Rgb {
    std::uint8_t red, green, blue;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

// The same for a colour image.
void write_png(const std::string& path, std::span<const Rgb> pixels, std::uint32_t width, bool overwrite = false);

} // namespace nestbed
