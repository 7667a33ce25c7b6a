// Reads a log, or any other CSV with a header: its rows with their lines in the file.
#pragma once

#include "base/csv.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

using LogRow = CsvRow;

struct ParsedLog {
    std::string path;
    std::vector<std::string> columns;
    std::vector<LogRow> rows;

    bool has(std::string_view column) const;
    // Throws RunError that names the file and the column.
    std::size_t column(std::string_view name) const;
    // Throws RunError that names file, line and column for a cell that is not a number.
    double number(const LogRow& row, std::string_view column) const;
    // The same for a part of the cell, `text`.
    double number(const LogRow& row, std::string_view column, std::string_view text) const;
};

// Throws RunError that names the file, and the line if a row is incomplete.
ParsedLog parse_log(const std::string& path, std::string_view text);

} // namespace nestbed
