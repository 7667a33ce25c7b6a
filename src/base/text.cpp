#include "base/text.hpp"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace nestbed
{

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    boost::algorithm::split(parts, text, boost::is_any_of(std::string(1, separator)));
    for (std::string& part : parts)
        boost::algorithm::trim(part);
    return parts;
}

namespace
{

// Wagner and Fischer's algorithm, two rows.
std::size_t levenshtein_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

// Three significant digits, no exponent: 20.7, 8.63, 1234.
std::string three_digits(double value)
{
    const double magnitude = std::abs(value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}", value, decimals);
}

} // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> allowed)
{
    std::string_view nearest;
    std::size_t least = SIZE_MAX;
    for (const std::string_view candidate : allowed) {
        const std::size_t distance = levenshtein_distance(name, candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    const std::size_t tolerated = std::max<std::size_t>(2, std::max(name.size(), nearest.size()) / 3);
    return least <= tolerated && least < name.size() ? fmt::format(", did you mean '{}'?", nearest) : "";
}

std::string count_or_empty(std::uint64_t value)
{
    return value == 0 ? "" : std::to_string(value);
}

std::string format_us(double microseconds)
{
    if (microseconds < 999.5)
        return three_digits(microseconds) + " us";
    if (microseconds < 999.5e3)
        return three_digits(microseconds / 1e3) + " ms";
    return three_digits(microseconds / 1e6) + " s";
}

std::string format_bytes(double bytes)
{
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit)
        bytes /= 1024;
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{} {}", three_digits(bytes), kUnits.at(unit));
}

std::string folded(std::string_view text, std::size_t indent)
{
    constexpr std::size_t kLongest = 80;
    std::string lines;
    std::size_t width = 0; // of the last line; 0: none was begun
    for (const std::string& word : split(text, ' ')) {
        const bool fits = width != 0 && width + 1 + word.size() <= kLongest;
        if (!fits && !lines.empty())
            lines += '\n';
        lines.append(fits ? 1 : indent, ' ');
        width = (fits ? width + 1 : indent) + word.size();
        lines += word;
    }
    return lines + "\n";
}

std::string duration_text(std::chrono::duration<double> time)
{
    const double seconds = time.count();
    if (seconds < 99.5)
        return fmt::format("{:.0f} s", seconds);
    return seconds < 5970 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

} // namespace nestbed
