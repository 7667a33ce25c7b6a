// CSV as text: RFC 4180, by libcsv.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// RFC 4180, one line with its CR LF. libcsv quotes.
std::string csv_line(const std::vector<std::string>& cells);

struct CsvRow {
    std::size_t line = 0; // of the text, where it begins; the first is 1
    std::vector<std::string> cells;
};
// The rows of a CSV text; a blank line is none. libcsv parses, strictly; throws RunError with the byte at which it gave
// up.
std::vector<CsvRow> parse_csv_rows(std::string_view text);
// Their cells alone.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

} // namespace nestbed
