// What the pages that ncu prints are read by: lines of CSV, each with its number, and messages that name it.
#pragma once

#include "base/error.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

using Cells = std::vector<std::string>;

// A line of a page, without its line break.
struct Line {
    std::size_t number = 0;
    std::string_view text;
};

// Where in a file something is wrong.
struct Place {
    const std::string& path;
    std::size_t line;

    template <class... Parts>
    [[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) const
    {
        throw RunError(fmt::format("{}:{}: {}", path, line, fmt::format(text, std::forward<Parts>(parts)...)));
    }
};

// The lines that are not empty, one at least, each whole, without what ncu may say of itself before the page.
std::vector<Line> lines_of(const std::string& path, std::string_view text);

// A row that is all in one line.
Cells cells_of(const std::string& path, const Line& line);

std::optional<std::size_t> column_of(const Cells& names, std::string_view name);

// "1,980,000", "192", "35.328000"; nothing for what is no number that can be counted up.
std::optional<double> number_in(std::string text);

} // namespace nestbed
