// Bars of text: a picture of numbers in a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

enum class BarStyle : std::uint8_t { blocks, ascii }; // eighths of a character by Unicode's block elements, or '#'

// Of a terminal by its locale: LC_ALL, LC_CTYPE, LANG, the first that says anything.
BarStyle bars_of_terminal();

// A bar a value of up to `width` characters, the greatest as long as that; empty where there is no value. Lengths are proportional to
// the values, or, where `logarithmic`, to their logarithms over the decade in which the least of them lies. Values are above 0.
std::vector<std::string> bars_of(const std::vector<std::optional<double>>& values, std::size_t width,
                                 bool logarithmic, BarStyle style);

// Whether the values span so much that proportional bars would show the greatest alone: a factor of 50 and more.
bool wants_logarithms(const std::vector<std::optional<double>>& values);

} // namespace nestbed
