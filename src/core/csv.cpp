#include "csv.hpp"

#include "error.hpp"

#include <csv.h>
#include <fmt/format.h>

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
        // Blanks at the ends too: they belong to the cell, and readers cut them off when they are not quoted.
        const bool blank_end = !cell.empty() && (std::isblank(static_cast<unsigned char>(cell.front())) != 0 ||
                                                 std::isblank(static_cast<unsigned char>(cell.back())) != 0);
        if (!blank_end && cell.find_first_of(",\"\r\n") == std::string::npos) {
            line += cell;
            continue;
        }
        std::string quoted(2 * cell.size() + 2, '\0');
        quoted.resize(csv_write(quoted.data(), quoted.size(), cell.data(), cell.size()));
        line += quoted;
    }
    return line + "\r\n";
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text)
{
    struct Reader {
        std::vector<std::vector<std::string>> rows;
        std::vector<std::string> row;
    } reader;
    csv_parser parser{};
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        throw RunError("the CSV parser could not be started");
    const auto on_field = [](void* field, std::size_t size, void* data) {
        static_cast<Reader*>(data)->row.emplace_back(static_cast<const char*>(field), size);
    };
    const auto on_row = [](int /*terminator*/, void* data) {
        auto* into = static_cast<Reader*>(data);
        into->rows.push_back(std::exchange(into->row, {}));
    };
    const std::size_t parsed = csv_parse(&parser, text.data(), text.size(), on_field, on_row, &reader);
    const bool failed = parsed != text.size() || csv_fini(&parser, on_field, on_row, &reader) != 0;
    const std::string why = csv_strerror(csv_error(&parser));
    csv_free(&parser);
    if (failed)
        throw RunError(fmt::format("byte {} of the CSV: {}", parsed, why));
    return reader.rows;
}

} // namespace nestbed
