// A table for a terminal: what all lines have in common is said once, above it, and no line is wider than the terminal.
#pragma once

#include "base/terminal.hpp"

#include <string>
#include <vector>

namespace nestbed
{

struct Column {
    std::string name;
    bool left = false;                // aligned
    bool axis = false;                // said above the table when all its cells that say anything are the same
    unsigned dispensable = 0;         // left out where the table is too wide: the smallest above 0 first
    std::vector<std::string> cells{}; // a line each; empty where it means nothing
    Colour (*colour)(const std::string& cell) = nullptr; // on a terminal that has colours

    std::size_t width() const;
    bool constant() const;     // cells that are empty do not count
    std::string value() const; // of the first cell that is not empty
};

// All columns have the same number of cells. Ends with a line break; lines have no blanks at their ends. Where a line is too wide without
// what can be spared, it becomes several, all but the first indented. A note, one per line or none at all, stands below its line.
std::string table_text(std::vector<Column> columns, const Terminal& terminal,
                       const std::vector<std::string>& notes = {});
// For standard output.
std::string table_text(std::vector<Column> columns);

// The words of a text in lines of at most so many characters, each with `indent` blanks before it. Ends with a line break.
std::string words_in_lines(const std::string& text, std::size_t indent, std::size_t most);

// The same as a table of Markdown with all columns.
std::string markdown_text(std::vector<Column> columns);

} // namespace nestbed
