#include "base/csv.hpp"

#include "base/error.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace nestbed
{

std::string csv_line(const std::vector<std::string>& cells)
{
    std::string line;
    for (std::size_t index = 0; index < cells.size(); ++index) {
        const std::string& cell = cells[index];
        if (index > 0)
            line += ',';
        // Also quote cells with blanks at their ends: the blanks belong to the cell, and readers remove unquoted
        // ones.
        const bool blank_end = !cell.empty() && (std::isblank(static_cast<unsigned char>(cell.front())) != 0 ||
                                                 std::isblank(static_cast<unsigned char>(cell.back())) != 0);
        const bool blank_line = cell.empty() && cells.size() == 1; // unquoted, it would not be a row
        if (!blank_end && !blank_line && cell.find_first_of(",\"\r\n") == std::string::npos) {
            line += cell;
            continue;
        }
        std::string quoted(2 * cell.size() + 2, '\0');
        quoted.resize(csv_write(quoted.data(), quoted.size(), cell.data(), cell.size()));
        line += quoted;
    }
    return line + "\r\n";
}

std::vector<CsvRow> parse_csv_rows(std::string_view text)
{
    struct Reader {
        std::size_t line = 0; // the line that is being parsed
        std::vector<CsvRow> rows;
        CsvRow row;
    } reader;
    csv_parser parser{};
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        throw RunError("the CSV parser could not be started");
    const auto on_field = [](void* field, std::size_t size, void* data) {
        auto* into = static_cast<Reader*>(data);
        const std::string_view cell(static_cast<const char*>(field), size);
        if (into->row.cells.empty()) // libcsv reports a cell in the line in which it ends
            into->row.line = into->line - static_cast<std::size_t>(std::ranges::count(cell, '\n'));
        into->row.cells.emplace_back(cell);
    };
    const auto on_row = [](int /*terminator*/, void* data) {
        auto* into = static_cast<Reader*>(data);
        into->rows.push_back(std::exchange(into->row, {}));
    };
    // Parse line by line: libcsv does not report the current line, and skips blank lines.
    std::size_t parsed = 0;
    bool failed = false;
    while (parsed < text.size() && !failed) {
        ++reader.line;
        const std::size_t size = std::min(text.find('\n', parsed), text.size() - 1) + 1 - parsed;
        const std::size_t taken = csv_parse(&parser, text.data() + parsed, size, on_field, on_row, &reader);
        failed = taken != size;
        parsed += taken;
    }
    failed = failed || csv_fini(&parser, on_field, on_row, &reader) != 0;
    const std::string why = csv_strerror(csv_error(&parser));
    csv_free(&parser);
    if (failed)
        throw RunError(fmt::format("byte {} of the CSV: {}", parsed, why));
    return std::move(reader.rows);
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text)
{
    std::vector<std::vector<std::string>> rows;
    for (CsvRow& row : parse_csv_rows(text))
        rows.push_back(std::move(row.cells));
    return rows;
}

} // namespace nestbed
