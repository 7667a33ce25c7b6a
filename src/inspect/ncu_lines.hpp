// Functions that read the pages of ncu: lines of CSV with their line numbers, and error messages that contain them.
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

// The place of an error in a file.
struct Place {
    const std::string& path;
    std::size_t line;

    template <class... Parts>
    [[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) const
    {
        throw RunError(fmt::format("{}:{}: {}", path, line, fmt::format(text, std::forward<Parts>(parts)...)));
    }
};

// Returns the nonempty lines, without the messages that ncu may print before the page. Throws RunError if there is no
// line, or if the last line has no line break.
std::vector<Line> lines_of(const std::string& path, std::string_view text);

// Returns the cells of a row that is complete in one line.
Cells cells_of(const std::string& path, const Line& line);

std::optional<std::size_t> column_of(const Cells& names, std::string_view name);

// "1,980,000", "192", "35.328000"; empty if the text is not a number from 0 up.
std::optional<double> number_in(std::string text);

} // namespace nestbed
