// CSV as text: RFC 4180, with libcsv.
#pragma once

#include "base/error.hpp"
#include "base/text_source.hpp"

#include <cstddef>
#include <memory>
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

class CsvError : public RunError
{
  public:
    using RunError::RunError;
};

// Reads the rows of a CSV text one after another. Blank lines are skipped. libcsv parses in strict mode.
class CsvReader
{
  public:
    explicit CsvReader(TextSource text);
    CsvReader(const CsvReader&) = delete;
    CsvReader& operator=(const CsvReader&) = delete;
    ~CsvReader();

    // Reads the next row, into the memory of `row`. Returns false at the end. Throws CsvError with the byte at which
    // parsing stopped, and RunError as TextSource does.
    bool next(CsvRow& row);

  private:
    class State;
    std::unique_ptr<State> state_;
};

// All rows of a CSV text. Throws as CsvReader does.
std::vector<CsvRow> parse_csv_rows(std::string_view text);
// Only the cells of the rows.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

} // namespace nestbed
