// The abilities of a terminal.
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

// Columns: COLUMNS if it is set, else the terminal's own width; 80 if the descriptor is not a terminal. Colour: on a
// terminal that is not "dumb", unless NO_COLOR is set (no-color.org).
Terminal terminal_of(int descriptor);

enum class Colour : unsigned char { none, red, green, yellow };
// The text in this colour.
std::string coloured(std::string_view text, Colour colour);

} // namespace nestbed
