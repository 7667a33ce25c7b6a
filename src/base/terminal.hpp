// What a terminal can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestbed
{

struct Terminal {
    std::size_t columns = 80;
    bool colour = false;
};

// Columns: COLUMNS where it is set, else the terminal's own; 80 where the descriptor is no terminal. Colour: on a terminal that is not
// "dumb", unless NO_COLOR is set (no-color.org).
Terminal terminal_of(int descriptor);

enum class Colour : unsigned char { none, red, green, yellow };
// The text in this colour.
std::string coloured(std::string_view text, Colour colour);

} // namespace nestbed
