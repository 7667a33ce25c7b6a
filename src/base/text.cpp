#include "base/text.hpp"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fnmatch.h>
#include <numeric>
#include <tuple>
#include <utility>

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

std::vector<std::string_view> split_lines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

namespace
{

constexpr std::size_t kMaxLetters = 200; // of a name that is compared: no known one is longer

// Letters to insert, delete, replace or exchange with their neighbour: the optimal string alignment distance.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    a = a.substr(0, kMaxLetters);
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
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
    if (name.size() > kMaxLetters)
        return "";
    std::string_view nearest;
    std::size_t least = SIZE_MAX;
    for (const std::string_view candidate : allowed) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    const std::size_t tolerated = std::max<std::size_t>(2, std::max(name.size(), nearest.size()) / 3);
    return least <= tolerated && least < name.size() ? fmt::format(", did you mean '{}'?", nearest) : "";
}

std::string suggestions(std::string_view name, std::span<const std::string_view> allowed, std::string_view lists_all)
{
    constexpr std::size_t kFew = 8;
    constexpr std::size_t kMaxSuggested = 5;
    const std::string begin = did_you_mean(name, allowed) + "; allowed: ";
    if (allowed.size() <= kFew)
        return begin + fmt::format("{}", fmt::join(allowed, ", "));
    std::vector<std::string_view> nearest(allowed.begin(), allowed.end());
    std::ranges::stable_sort(nearest, {}, [&](std::string_view one) { return edit_distance(name, one); });
    nearest.resize(kMaxSuggested);
    return begin + fmt::format("{}, ... ({} in all: {})", fmt::join(nearest, ", "), allowed.size(), lists_all);
}

bool is_pattern(std::string_view text)
{
    return text.find_first_of("*?") != std::string_view::npos;
}

bool matches(const std::string& pattern, std::string_view name)
{
    return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
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
    std::size_t width = 0; // of the last line; 0: no line yet
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

namespace
{

// Decodes the first character of a nonempty text. Returns its length in bytes and its code point; length 0 if the
// text is not valid UTF-8 (RFC 3629).
std::pair<std::size_t, char32_t> first_character(std::string_view text)
{
    constexpr std::array<char32_t, 5> kMin{0, 0, 0x80, 0x800, 0x10000}; // least code point for each length in bytes
    const auto first = static_cast<unsigned char>(text.front());
    const auto ones = static_cast<std::size_t>(std::countl_one(first));
    if (ones == 0)
        return {1, first};
    if (ones == 1 || ones > 4 || ones > text.size())
        return {0, 0};
    char32_t number = first & (0xFFU >> (ones + 1));
    for (const char byte : text.substr(1, ones - 1)) {
        const auto bits = static_cast<unsigned char>(byte);
        if ((bits & 0xC0U) != 0x80U)
            return {0, 0};
        number = number << 6 | (bits & 0x3FU);
    }
    const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
    return {number < kMin.at(ones) || number > 0x10FFFF || surrogate ? 0 : ones, number};
}

bool is_control(char32_t character)
{
    return (character < 0x20 && character != '\n' && character != '\t') || (character >= 0x7F && character <= 0x9F);
}

} // namespace

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t bytes = first_character(text).first;
        if (bytes == 0)
            return false;
        text.remove_prefix(bytes);
    }
    return true;
}

std::string printable(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        const auto [bytes, character] = first_character(text);
        const std::string_view piece = text.substr(0, std::max<std::size_t>(bytes, 1));
        if (bytes != 0 && !is_control(character))
            shown += piece;
        else
            for (const char byte : piece)
                shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        text.remove_prefix(piece.size());
    }
    return shown;
}

std::string shortened(std::string_view message)
{
    constexpr std::size_t kMaxBytes = 1200;
    constexpr std::size_t kFirst = 700;
    constexpr std::size_t kLast = 400;
    const auto is_inside = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }; // of UTF-8
    std::string text;
    for (;;) {
        const std::string_view line = message.substr(0, message.find('\n'));
        std::size_t begin = kFirst;
        std::size_t end = line.size() - std::min(line.size(), kLast);
        if (line.size() <= kMaxBytes) {
            text += line;
        } else {
            for (unsigned step = 0; step < 3 && is_inside(line[begin]); ++step)
                --begin;
            for (unsigned step = 0; step < 3 && is_inside(line[end]); ++step)
                ++end;
            text += fmt::format("{} … ({} bytes are left out) … {}", line.substr(0, begin), end - begin,
                                line.substr(end));
        }
        if (line.size() == message.size())
            return text;
        text += '\n';
        message.remove_prefix(line.size() + 1);
    }
}

std::string duration_text(std::chrono::duration<double> time)
{
    const double seconds = time.count();
    if (seconds < 99.5)
        return fmt::format("{:.0f} s", seconds);
    return seconds < 5970 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

bool comes_before(const std::string& a, const std::string& b)
{
    const auto rank = [](const std::string& cell) {
        const bool number = cell.find_first_not_of("0123456789") == std::string::npos;
        return std::tuple(!number, number ? cell.size() : 0, std::string_view(cell));
    };
    return rank(a) < rank(b);
}

std::string in_lower_case(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

} // namespace nestbed
