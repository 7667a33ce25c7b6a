#include "log/parsed_log.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace nestbed
{

bool ParsedLog::has(std::string_view column) const
{
    return std::ranges::find(columns, column) != columns.end();
}

std::size_t ParsedLog::column(std::string_view name) const
{
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end())
        throw RunError(fmt::format("{}: it has no column {}", path, name));
    return static_cast<std::size_t>(found - columns.begin());
}

double ParsedLog::number(const LogRow& row, std::string_view name) const
{
    return number(row, name, row.cells[column(name)]);
}

double ParsedLog::number(const LogRow& row, std::string_view name, std::string_view text) const
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        throw RunError(fmt::format("{}:{}: {} is '{}'; allowed: a number", path, row.line, name, text));
    return value;
}

ParsedLog parse_log(const std::string& path, std::string_view text)
{
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        throw RunError(fmt::format("{}:{}: byte {} is 0: the file is damaged, or not text", path,
                                   1 + std::ranges::count(text.substr(0, nul), '\n'), nul));
    std::vector<CsvRow> rows;
    try {
        rows = parse_csv_rows(text);
    } catch (const RunError& error) {
        throw RunError(fmt::format("{}: {}; the file may be cut off", path, error.what()));
    }
    if (rows.empty())
        throw RunError(fmt::format("{}: it is empty; allowed: a CSV with a header", path));
    ParsedLog log{.path = path, .columns = std::move(rows.front().cells), .rows = {}};
    for (CsvRow& row : std::span(rows).subspan(1)) {
        if (row.cells.size() != log.columns.size())
            throw RunError(fmt::format("{}:{}: {} cells under {} columns: the row is incomplete", path, row.line,
                                       row.cells.size(), log.columns.size()));
        log.rows.push_back(std::move(row));
    }
    return log;
}

} // namespace nestbed
