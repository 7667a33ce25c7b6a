// CSV as text: RFC 4180, with libcsv.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// One line as RFC 4180 defines it, with its CR LF. libcsv quotes the cells.
std::string csv_line(const std::vector<std::string>& cells);

struct CsvRow {
    std::size_t line = 0; // line of the text in which the row begins; the first line is 1
    std::vector<std::string> cells;
};
// The rows of a CSV text. Blank lines are skipped. libcsv parses in strict mode. Throws RunError with the byte at
// which parsing stopped.
std::vector<CsvRow> parse_csv_rows(std::string_view text);
// Only the cells of the rows.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

} // namespace nestbed
