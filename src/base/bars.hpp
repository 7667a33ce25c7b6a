// Bars of text: a chart of the numbers in a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

enum class BarStyle : std::uint8_t { blocks, ascii }; // eighths of a character by Unicode's block elements, or '#'

// The style for the terminal, from its locale: the first of LC_ALL, LC_CTYPE and LANG that is set.
BarStyle bars_of_terminal();

// One bar per value; empty where there is no value. The longest bar, for the greatest value, has `width` characters.
// Lengths are proportional to the values or, if `logarithmic`, to their logarithms, counted from the decade that
// contains the least value. Values must be above 0.
std::vector<std::string> bars_of(const std::vector<std::optional<double>>& values, std::size_t width,
                                 bool logarithmic, BarStyle style);

// Whether the values differ so much that proportional bars would show only the greatest: a factor of 50 or more.
bool wants_logarithms(const std::vector<std::optional<double>>& values);

} // namespace nestbed
