#include "base/bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace nestbed
{

namespace
{

std::vector<double> given(const std::vector<std::optional<double>>& values)
{
    std::vector<double> found;
    for (const std::optional<double>& value : values)
        if (value)
            found.push_back(*value);
    return found;
}

// A bar of `share` times `width` characters. Every bar is at least one step long, so that small values stay visible.
std::string bar(double share, std::size_t width, BarStyle style)
{
    constexpr std::array<std::string_view, 8> kParts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (style == BarStyle::ascii)
        return std::string(std::max(1L, std::lround(share * static_cast<double>(width))), '#');
    const auto eighths = std::max(1L, std::lround(share * 8 * static_cast<double>(width)));
    std::string text;
    for (long full = 0; full < eighths / 8; ++full)
        text += "█";
    return text + std::string(kParts[static_cast<std::size_t>(eighths % 8)]);
}

} // namespace

BarStyle bars_of_terminal()
{
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (value == nullptr || *value == '\0')
            continue;
        const std::string_view locale = value;
        const bool utf8 =
            locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
        return utf8 ? BarStyle::blocks : BarStyle::ascii;
    }
    return BarStyle::ascii;
}

std::vector<std::string> bars_of(const std::vector<std::optional<double>>& values, std::size_t width,
                                 bool logarithmic, BarStyle style)
{
    const std::vector<double> numbers = given(values);
    const double greatest = numbers.empty() ? 0 : std::ranges::max(numbers);
    const double base = numbers.empty() ? 0 : std::pow(10, std::floor(std::log10(std::ranges::min(numbers))));
    std::vector<std::string> bars;
    for (const std::optional<double>& value : values) {
        if (!value) {
            bars.emplace_back();
            continue;
        }
        const double share =
            logarithmic && greatest > base ? std::log(*value / base) / std::log(greatest / base) : *value / greatest;
        bars.push_back(bar(share, width, style));
    }
    return bars;
}

bool wants_logarithms(const std::vector<std::optional<double>>& values)
{
    constexpr double kFactor = 50;
    const std::vector<double> numbers = given(values);
    return !numbers.empty() && std::ranges::max(numbers) >= kFactor * std::ranges::min(numbers);
}

} // namespace nestbed
