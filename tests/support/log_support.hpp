// Logs whose rows a test edits.
#pragma once

#include "log/parsed_log.hpp"

#include <string>
#include <vector>

namespace nestbed
{

inline std::vector<LogRow> rows_in(const ParsedLog& log)
{
    std::vector<LogRow> rows;
    for (const LogRow& row : log.rows)
        rows.push_back(row);
    return rows;
}

inline ParsedLog log_with(const std::string& path, const std::vector<std::string>& columns,
                          const std::vector<std::vector<std::string>>& rows)
{
    std::string text = csv_line(columns);
    for (const std::vector<std::string>& cells : rows)
        text += csv_line(cells);
    return parse_log(path, std::move(text));
}

// Replaces a cell of the row with this index.
inline void set_cell(ParsedLog& log, std::size_t index, std::string_view column, const std::string& text)
{
    std::vector<std::vector<std::string>> rows;
    for (const LogRow& row : log.rows)
        rows.push_back(row.cells);
    rows.at(index).at(log.column(column)) = text;
    log = log_with(log.path, log.columns, rows);
}

} // namespace nestbed
