// Numbers in the tables of `nestbed compare`.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace nestbed
{

// "1 case", "3 cases".
inline std::string counted(std::size_t count, std::string_view what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Prints only significant digits: 0.998, 1.000, 12.35.
inline std::string ratio_text(double ratio)
{
    return fmt::format("{:.{}f}", ratio, ratio < 9.9995 ? 3 : 2);
}

} // namespace nestbed
