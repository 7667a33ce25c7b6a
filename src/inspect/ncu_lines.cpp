#include "inspect/ncu_lines.hpp"

#include "base/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nestbed
{

std::vector<Line> lines_of(const std::string& path, std::string_view text)
{
    std::vector<Line> lines;
    const bool whole = text.ends_with('\n');
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!line.empty() && !(lines.empty() && line.starts_with("==")))
            lines.push_back({number, line});
    }
    if (lines.empty())
        throw RunError(fmt::format("{}: it is empty", path));
    if (!whole)
        Place{path, lines.back().number}.refuse("the last line has no line break; the file may be cut off");
    return lines;
}

Cells cells_of(const std::string& path, const Line& line)
{
    std::vector<Cells> rows;
    try {
        rows = parse_csv(line.text);
    } catch (const RunError& error) {
        Place{path, line.number}.refuse("{}; the file may be cut off", error.what());
    }
    return rows.empty() ? Cells{} : rows.front();
}

std::optional<std::size_t> column_of(const Cells& names, std::string_view name)
{
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

std::optional<double> number_in(std::string text)
{
    std::erase(text, ',');
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value) && value >= 0
               ? std::optional(value)
               : std::nullopt;
}

} // namespace nestbed
