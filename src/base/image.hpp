// Images: what a workload that makes one has made, as a PNG file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace nestbed
{

// Grey, from black for `black` to white for `white`; what is past them, or not a number, is black or white too. `pixels`
// are rows of `width`. Written beside it and renamed. Throws UsageError, naming --output, if there is such a file already or it
// cannot be made, and RunError when it could not be written whole; then nothing is left behind.
void write_png(const std::string& path, std::span<const float> pixels, std::uint32_t width, float black, float white);

} // namespace nestbed
