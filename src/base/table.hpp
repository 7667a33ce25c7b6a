// A table for a terminal. Values that all rows share appear once, above the table. No line is wider than the
// terminal.
#pragma once

#include "base/terminal.hpp"

#include <string>
#include <vector>

namespace nestbed
{

struct Column {
    std::string name;
    bool left = false; // aligned to the left
    bool axis = false; // shown above the table if all nonempty cells are equal, above some rows if there is no room
    unsigned dispensable = 0;         // removed if the table is too wide: the smallest number above 0 first
    std::vector<std::string> cells{}; // one per row; empty where the column does not apply
    Colour (*colour)(const std::string& cell) = nullptr; // on a terminal with colours
    bool below = false; // in a table that is too wide: indented in the column before, under a line with its cell

    bool constant() const;     // whether all nonempty cells are equal
    std::string value() const; // of the first nonempty cell
};

// Adds a cell to each column; what is left of the cells is not used.
void add_row(std::vector<Column>& columns, std::vector<std::string> cells);

// All columns must have the same number of cells. The text ends with a line break; lines have no trailing blanks. If
// a row is too wide, a column may go below the one before it, and axes that hardly change become headings above the rows
// that share their values; then columns are left out; then other axes become headings, those that change least. If it
// is still too wide, it becomes several lines, and all but the first are indented. There is one note per row, or none
// at all; a note appears below its row.
std::string table_text(std::vector<Column> columns, const Terminal& terminal,
                       const std::vector<std::string>& notes = {});
// For the terminal on standard output.
std::string table_text(std::vector<Column> columns);

// Breaks a text into lines of at most `most` characters, each indented by `indent` blanks. Ends with a line break.
std::string words_in_lines(const std::string& text, std::size_t indent, std::size_t most);

// The same table as Markdown, with all columns.
std::string markdown_text(std::vector<Column> columns);

} // namespace nestbed
