#include "base/colour.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nestbed
{

namespace
{

std::uint8_t byte_of(double linear)
{
    constexpr double kStraightUpTo = 0.0031308; // the two parts of sRGB's curve
    const double level = std::clamp(linear, 0.0, 1.0);
    const double curved = level <= kStraightUpTo ? 12.92 * level : 1.055 * std::pow(level, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * curved));
}

} // namespace

Rgb rgb_of(const Oklch& colour)
{
    const double angle = colour.hue * std::numbers::pi / 180;
    const double a = colour.chroma * std::cos(angle);
    const double b = colour.chroma * std::sin(angle);
    const double l = std::pow(colour.light + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(colour.light - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(colour.light - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {byte_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            byte_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            byte_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

Rgb colour_of_depth(unsigned depth, unsigned levels)
{
    const double place = levels < 2 ? 0 : static_cast<double>(depth) / (levels - 1);
    return rgb_of({.light = 0.97 - 0.37 * place, .chroma = 0.02 + 0.20 * place, .hue = 95 - 95 * place});
}

} // namespace nestbed
