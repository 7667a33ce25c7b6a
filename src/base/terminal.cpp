#include "base/terminal.hpp"

#include <charconv>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace nestbed
{

namespace
{

std::string_view variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::size_t columns_of(int descriptor)
{
    constexpr std::size_t kFewest = 20; // a smaller number is a mistake, or the terminal does not know its width
    constexpr std::size_t kMaxColumns = 1000;
    const std::string_view said = variable("COLUMNS");
    std::size_t columns = 0;
    std::from_chars(said.data(), said.data() + said.size(), columns);
    winsize size{};
    if (columns == 0 && isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) // NOLINT(*-vararg)
        columns = size.ws_col;
    return columns < kFewest || columns > kMaxColumns ? Terminal().columns : columns;
}

} // namespace

Terminal terminal_of(int descriptor)
{
    return {.columns = columns_of(descriptor),
            .colour = isatty(descriptor) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

std::string coloured(std::string_view text, Colour colour)
{
    constexpr std::string_view kCodes[]{"0", "31", "32", "33"};
    if (colour == Colour::none)
        return std::string(text);
    return "\033[" + std::string(kCodes[static_cast<std::size_t>(colour)]) + "m" + std::string(text) + "\033[0m";
}

} // namespace nestbed
