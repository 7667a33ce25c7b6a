#include "base/table.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace
{

constexpr std::size_t kColumns = 80;
constexpr std::size_t kGap = 2;

// Comma-separated, in lines of at most 80 characters.
std::string wrapped(const std::vector<std::string>& parts)
{
    std::string text;
    std::size_t width = 0;
    for (const std::string& part : parts) {
        if (width > 0) {
            const bool fits = width + 2 + part.size() + 1 <= kColumns; // ", " before, "," behind
            text += fits ? ", " : ",\n";
            width = fits ? width + 2 : 0;
        }
        text += part;
        width += part.size();
    }
    return text;
}

std::size_t width_of(const std::vector<Column>& columns)
{
    std::size_t width = 0;
    for (const Column& column : columns)
        width += column.width() + kGap;
    return width - std::min(width, kGap);
}

// Takes columns that can be spared out of a table that is too wide, and returns their names.
std::vector<std::string> make_room(std::vector<Column>& columns)
{
    std::vector<std::string> names;
    while (width_of(columns) > kColumns) {
        auto spared = columns.end();
        for (auto column = columns.begin(); column != columns.end(); ++column)
            if (column->dispensable != 0 && (spared == columns.end() || column->dispensable < spared->dispensable))
                spared = column;
        if (spared == columns.end())
            break;
        names.push_back(spared->name);
        columns.erase(spared);
    }
    return names;
}

} // namespace

std::size_t Column::width() const
{
    // Characters of UTF-8, not bytes.
    const auto characters = [](const std::string& text) {
        return static_cast<std::size_t>(std::ranges::count_if(
            text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
    };
    std::size_t width = characters(name);
    for (const std::string& cell : cells)
        width = std::max(width, characters(cell));
    return width;
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
// Takes out the axes whose cells that say anything are the same, and returns what they say.
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

std::string table_text(std::vector<Column> columns)
{
    const std::vector<std::string> common = take_common(columns);
    const std::vector<std::string> spared = make_room(columns);

    std::string text = common.empty() ? "\n" : wrapped(common) + "\n\n";
    std::vector<std::size_t> widths;
    for (const Column& column : columns)
        widths.push_back(column.width());
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (std::size_t index = 0; index < columns.size(); ++index)
            line += columns[index].left
                        ? fmt::format("{:<{}}", cell_of(columns[index]), widths[index] + kGap)
                        : fmt::format("{:>{}}{:{}}", cell_of(columns[index]), widths[index], "", kGap);
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    };
    add_line([](const Column& column) { return column.name; });
    const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
    for (std::size_t row = 0; row < rows; ++row)
        add_line([&](const Column& column) { return column.cells[row]; });
    if (!spared.empty())
        text += fmt::format("(without {}: the table would be wider than {} columns)\n", fmt::join(spared, ", "),
                            kColumns);
    return text;
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
