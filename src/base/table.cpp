#include "base/table.hpp"

#include "base/text.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::size_t kGap = 2;
constexpr std::size_t kIndent = 4; // of notes, and of all lines of a row after the first

// The number of UTF-8 characters, not of bytes.
std::size_t characters(const std::string& text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// Joins parts with `separator` into lines of at most `most` characters.
std::string filled(const std::vector<std::string>& parts, const std::string& separator, std::size_t indent,
                   std::size_t most)
{
    std::string text;
    std::size_t width = 0; // of the last line; 0: no line yet
    for (const std::string& part : parts) {
        const bool fits = width + separator.size() + characters(part) + separator.size() - 1 <= most;
        if (width > 0 && fits) {
            text += separator;
            width += separator.size();
        } else {
            text += width > 0 ? separator.substr(0, separator.size() - 1) + "\n" : "";
            text.append(indent, ' ');
            width = indent;
        }
        text += part;
        width += characters(part);
    }
    return text;
}

// The width of a column takes a look at every cell, so it is computed once.
std::vector<std::size_t> widths_of(const std::vector<Column>& columns)
{
    std::vector<std::size_t> widths;
    for (const Column& column : columns) {
        std::size_t width = characters(column.name);
        for (const std::string& cell : column.cells)
            width = std::max(width, characters(cell));
        widths.push_back(width);
    }
    return widths;
}

std::size_t width_of(const std::vector<std::size_t>& widths)
{
    std::size_t width = 0;
    for (const std::size_t one : widths)
        width += one + kGap;
    return width - std::min(width, kGap);
}

// Removes dispensable columns from a table that is too wide, and returns their names.
std::vector<std::string> make_room(std::vector<Column>& columns, std::vector<std::size_t>& widths, std::size_t most)
{
    std::vector<std::string> names;
    while (width_of(widths) > most) {
        auto spared = columns.end();
        for (auto column = columns.begin(); column != columns.end(); ++column)
            if (column->dispensable != 0 && (spared == columns.end() || column->dispensable < spared->dispensable))
                spared = column;
        if (spared == columns.end())
            break;
        names.push_back(spared->name);
        widths.erase(widths.begin() + (spared - columns.begin()));
        columns.erase(spared);
    }
    return names;
}

} // namespace

void add_row(std::vector<Column>& columns, std::vector<std::string> cells)
{
    for (std::size_t index = 0; index < columns.size(); ++index)
        columns[index].cells.push_back(std::move(cells.at(index)));
}

bool Column::constant() const
{
    const std::string said = value();
    return std::ranges::all_of(cells, [&](const std::string& cell) { return cell.empty() || cell == said; });
}

std::string Column::value() const
{
    const auto said = std::ranges::find_if(cells, [](const std::string& cell) { return !cell.empty(); });
    return said == cells.end() ? "" : *said;
}

namespace
{
// Removes the axis columns whose nonempty cells are all equal, and returns their names with these values.
std::vector<std::string> take_common(std::vector<Column>& columns)
{
    std::vector<std::string> common;
    for (const Column& column : columns)
        if (column.axis && column.constant() && !column.value().empty())
            common.push_back(fmt::format("{} {}", column.name, column.value()));
    std::erase_if(columns, [](const Column& column) { return column.axis && column.constant(); });
    return common;
}
} // namespace

namespace
{

// How often a cell differs from that of the row above.
std::size_t changes_in(const Column& column)
{
    std::size_t changes = 0;
    for (std::size_t row = 1; row < column.cells.size(); ++row)
        changes += column.cells[row] == column.cells[row - 1] ? 0 : 1;
    return changes;
}

// Takes axis columns out of a table that is too wide even without the dispensable columns: those that change least from
// row to row, so that a line above some rows can say their value. An axis that changes within `rows` rows on average stays.
void take_headings(std::vector<Column>& columns, std::size_t most, std::size_t rows, std::vector<Column>& headings)
{
    while (width_of(widths_of(columns)) > most) {
        auto steady = columns.end();
        for (auto column = columns.begin(); column != columns.end(); ++column)
            if (column->axis && rows * changes_in(*column) < column->cells.size() &&
                (steady == columns.end() || changes_in(*column) < changes_in(*steady)))
                steady = column;
        if (steady == columns.end())
            break;
        headings.push_back(std::move(*steady));
        columns.erase(steady);
    }
}

// Puts the cells of a column that is `below` into the one before. Returns the line above each row; empty: none.
std::vector<std::string> put_below(std::vector<Column>& columns)
{
    const auto moved = std::ranges::find(columns, true, &Column::below);
    if (moved == columns.begin() || moved == columns.end())
        return {};
    std::vector<std::string>& cells = (moved - 1)->cells;
    std::vector<std::string> lines(cells.size());
    for (std::size_t row = 0; row < cells.size(); ++row)
        if (!moved->cells[row].empty())
            lines[row] = std::exchange(cells[row], "  " + moved->cells[row]);
    columns.erase(moved);
    return lines;
}

// The line above a row whose headings are not those of the row before.
std::string heading_text(const std::vector<Column>& headings, std::size_t row, std::size_t most)
{
    const auto changed = [&](const Column& column) { return row == 0 || column.cells[row] != column.cells[row - 1]; };
    if (std::ranges::none_of(headings, changed))
        return "";
    std::vector<std::string> said;
    for (const Column& column : headings)
        if (!column.cells[row].empty())
            said.push_back(fmt::format("{} {}", column.name, column.cells[row]));
    return "\n" + (said.empty() ? "" : filled(said, ", ", 0, most - 1) + ":\n");
}

// Which columns each line of a row contains.
std::vector<std::vector<std::size_t>> lines_of(const std::vector<std::size_t>& widths, std::size_t most)
{
    std::vector<std::vector<std::size_t>> lines(1);
    std::size_t width = 0;
    for (std::size_t index = 0; index < widths.size(); ++index) {
        const std::size_t own = widths[index];
        if (!lines.back().empty() && width + own > most) {
            lines.emplace_back();
            width = kIndent;
        }
        lines.back().push_back(index);
        width += own + kGap;
    }
    return lines;
}

std::string aligned(const std::string& cell, bool left, std::size_t width, Colour colour)
{
    const std::string blanks(width - characters(cell), ' ');
    return (left ? "" : blanks) + coloured(cell, colour) + (left ? blanks : "") + std::string(kGap, ' ');
}

} // namespace

std::string table_text(std::vector<Column> columns)
{
    return table_text(std::move(columns), terminal_of(STDOUT_FILENO));
}

std::string table_text(std::vector<Column> columns, const Terminal& terminal, const std::vector<std::string>& notes)
{
    const std::vector<std::string> common = take_common(columns);
    std::vector<std::string> lines_above;
    if (width_of(widths_of(columns)) > terminal.columns)
        lines_above = put_below(columns);
    constexpr std::size_t kSteady = 8; // such an axis is a better heading than another column is dispensable
    std::vector<Column> headings;
    take_headings(columns, terminal.columns, kSteady, headings);
    const std::vector<Column> all = columns;
    std::vector<std::size_t> widths = widths_of(columns);
    std::vector<std::string> spared = make_room(columns, widths, terminal.columns);
    const std::size_t steady = headings.size();
    take_headings(columns, terminal.columns, 2, headings);
    if (headings.size() > steady) { // perhaps there is room for more columns now
        columns = all;
        std::erase_if(columns, [&](const Column& column) {
            return std::ranges::find(headings, column.name, &Column::name) != headings.end();
        });
        widths = widths_of(columns);
        spared = make_room(columns, widths, terminal.columns);
    }
    const std::vector<std::vector<std::size_t>> lines = lines_of(widths, terminal.columns);

    std::string text = common.empty() ? "\n" : filled(common, ", ", 0, terminal.columns) + "\n\n";
    const auto add_row = [&](const auto& cell_of, bool coloured_too) {
        for (const std::vector<std::size_t>& indices : lines) {
            std::string line(&indices == &lines.front() ? 0 : kIndent, ' ');
            for (const std::size_t index : indices) {
                const Column& column = columns[index];
                const std::string cell = cell_of(column);
                const bool has_colour = coloured_too && terminal.colour && column.colour != nullptr;
                line += aligned(cell, column.left, widths[index], has_colour ? column.colour(cell) : Colour::none);
            }
            if (const std::size_t last = line.find_last_not_of(' '); last != std::string::npos || lines.size() == 1)
                text += line.substr(0, last + 1) + "\n";
        }
    };
    add_row([](const Column& column) { return column.name; }, false);
    const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
    for (std::size_t row = 0; row < rows; ++row) {
        const std::string heading = heading_text(headings, row, terminal.columns);
        text += heading;
        if (!lines_above.empty() && !lines_above[row].empty() &&
            (row == 0 || !heading.empty() || lines_above[row] != lines_above[row - 1]))
            text += lines_above[row] + "\n";
        add_row([&](const Column& column) { return column.cells[row]; }, true);
        if (row < notes.size() && !notes[row].empty())
            text += words_in_lines(notes[row], kIndent, terminal.columns);
    }
    if (!spared.empty())
        text += words_in_lines(fmt::format("(without {}: the table would be wider than {} columns)",
                                           fmt::join(spared, ", "), terminal.columns),
                               0, terminal.columns);
    return text;
}

std::string words_in_lines(const std::string& text, std::size_t indent, std::size_t most)
{
    std::vector<std::string> words = split(text, ' ');
    std::erase(words, "");
    return filled(words, " ", indent, most) + "\n";
}

std::string markdown_text(std::vector<Column> columns)
{
    const std::vector<std::string> common = take_common(columns);
    std::string text = common.empty() ? "\n" : fmt::format("\n{}\n\n", fmt::join(common, ", "));
    const auto add_line = [&](const auto& cell_of) {
        for (const Column& column : columns)
            text += "| " + boost::algorithm::replace_all_copy(std::string(cell_of(column)), "|", "\\|") + " ";
        text += "|\n";
    };
    add_line([](const Column& column) { return column.name; });
    add_line([](const Column& column) { return column.left ? "---" : "--:"; });
    const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
    for (std::size_t row = 0; row < rows; ++row)
        add_line([&](const Column& column) { return column.cells[row]; });
    return text;
}

} // namespace nestbed
