#include "log_rows.hpp"

#include "csv.hpp"
#include "error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nestbed
{

bool LogRows::has(std::string_view column) const
{
    return std::ranges::find(columns, column) != columns.end();
}

std::size_t LogRows::column(std::string_view name) const
{
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end())
        throw RunError(fmt::format("{}: it has no column {}", path, name));
    return static_cast<std::size_t>(found - columns.begin());
}

double LogRows::number(const LogRow& row, std::string_view name) const
{
    return number(row, name, row.cells[column(name)]);
}

double LogRows::number(const LogRow& row, std::string_view name, std::string_view text) const
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        throw RunError(fmt::format("{}:{}: {} is '{}'; allowed: a number", path, row.line, name, text));
    return value;
}

LogRows parse_log(const std::string& path, std::string_view text)
{
    std::vector<std::vector<std::string>> rows;
    try {
        rows = parse_csv(text);
    } catch (const RunError& error) {
        throw RunError(fmt::format("{}: {}; the file may be cut off", path, error.what()));
    }
    if (rows.empty())
        throw RunError(fmt::format("{}: it is empty; allowed: a CSV with a header", path));
    LogRows log{.path = path, .columns = std::move(rows.front()), .rows = {}};
    std::size_t line = 2;
    for (std::size_t index = 1; index < rows.size(); ++index) {
        std::vector<std::string>& cells = rows[index];
        if (cells.size() != log.columns.size())
            throw RunError(fmt::format("{}:{}: {} cells under {} columns: the row is not whole", path, line,
                                       cells.size(), log.columns.size()));
        std::size_t breaks = 0; // within quotes
        for (const std::string& cell : cells)
            breaks += static_cast<std::size_t>(std::ranges::count(cell, '\n'));
        log.rows.push_back({line, std::move(cells)});
        line += 1 + breaks;
    }
    return log;
}

} // namespace nestbed
