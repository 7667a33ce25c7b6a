// CSV: reading, writing, and reading a CSV as a log.
#include "base/csv.hpp"
#include "base/error.hpp"
#include "fuzz/property.hpp"
#include "log/parsed_log.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestbed
{
namespace
{

using Rows = std::vector<std::vector<std::string>>;

const std::string kPath = "fuzz.csv";

// Where the lines of a text begin. A CR that does not end a line makes rows that begin within a line.
std::vector<std::size_t> line_begins(std::string_view text)
{
    std::vector<std::size_t> begins{0};
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
        begins.push_back(end + 1);
    return begins;
}

bool has_lone_cr(std::string_view text)
{
    for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
        if (at + 1 == text.size() || text[at + 1] != '\n')
            return true;
    return false;
}

void check_lines(std::string_view text, const std::vector<CsvRow>& rows)
{
    const std::vector<std::size_t> begins = line_begins(text);
    std::size_t before = 1;
    for (const CsvRow& row : rows) {
        require(row.line >= before && row.line <= begins.size(), "rows have their lines, in order",
                std::to_string(row.line));
        before = row.line;
    }
    if (has_lone_cr(text))
        return;
    for (const std::size_t index : {std::size_t{0}, rows.size() / 2, rows.size() - 1}) {
        if (index >= rows.size())
            continue;
        const Rows rest = parse_csv(text.substr(begins[rows[index].line - 1]));
        require(rest.size() == rows.size() - index && rest.front() == rows[index].cells, "a row begins in its line",
                std::to_string(rows[index].line));
    }
}

void check_written(const std::vector<CsvRow>& rows)
{
    std::string text;
    for (const CsvRow& row : rows) {
        require(!row.cells.empty(), "a row has a cell");
        const std::string line = csv_line(row.cells);
        require(line.ends_with("\r\n"), "a row is written with its end", line);
        text += line;
    }
    const Rows again = parse_csv(text);
    require(again.size() == rows.size(), "as many rows are read as were written", text);
    for (std::size_t index = 0; index < rows.size(); ++index)
        require(again[index] == rows[index].cells, "what was read reads the same when it is written", text);
}

void check_numbers(const ParsedLog& log)
{
    for (const LogRow& row : log.rows) {
        const std::string place = kPath + ":" + std::to_string(row.line) + ": ";
        for (const std::string& column : log.columns) {
            double number = 0;
            const std::string refusal = refusal_of<RunError>([&] { number = log.number(row, column); });
            require(refusal.empty() ? std::isfinite(number) : refusal.starts_with(place + column + " is '"),
                    "a cell is a number or is refused by place and column", refusal);
            require(refusal.empty() || refusal.ends_with("; allowed: a number"), "a refusal says what is allowed",
                    refusal);
        }
    }
}

void check_log(std::string_view text, const std::vector<CsvRow>* rows)
{
    ParsedLog log;
    const std::string refusal = refusal_of<RunError>([&] { log = parse_log(kPath, text); });
    if (!refusal.empty()) {
        require(refusal.starts_with(kPath + ":"), "a refusal begins with the file", refusal);
        return;
    }
    require(rows != nullptr && log.rows.size() + 1 == rows->size(), "a log is a CSV with a header");
    require(log.path == kPath && !log.columns.empty(), "a log has columns");
    for (const std::string& column : log.columns)
        require(log.has(column) && log.columns[log.column(column)] == column, "a column is found by its name",
                column);
    std::size_t index = 0;
    for (const LogRow& row : log.rows) {
        require(row.cells == (*rows)[++index].cells, "a row has its cells");
        require(row.line == (*rows)[index].line, "a row has its line");
    }
    require(index == log.rows.size(), "every row is read");
    if (!log.rows.empty() && log.columns.size() * log.rows.size() <= 1000)
        check_numbers(log);
}

void check(std::string_view text)
{
    std::vector<CsvRow> rows;
    const std::string refusal = refusal_of<RunError>([&] { rows = parse_csv_rows(text); });
    if (refusal.empty()) {
        check_lines(text, rows);
        check_written(rows);
    } else {
        require(refusal.starts_with("byte ") && refusal.find(" of the CSV: ") != std::string::npos,
                "a refusal names the byte", refusal);
    }
    check_log(text, refusal.empty() ? &rows : nullptr);

    // Any cells, one per line.
    std::vector<std::string> cells{""};
    for (const char byte : text) {
        if (byte == '\n' && cells.back().find('"') == std::string::npos)
            cells.emplace_back();
        else
            cells.back() += byte;
    }
    check_written({{.line = 1, .cells = cells}});
}

} // namespace
} // namespace nestbed

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    nestbed::check({reinterpret_cast<const char*>(data), size});
    return 0;
}
