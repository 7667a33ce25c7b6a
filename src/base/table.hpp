// A table for a terminal: what all lines have in common is said once, above it, and it fits 80 columns if it can.
#pragma once

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

    std::size_t width() const;
    bool constant() const;     // cells that are empty do not count
    std::string value() const; // of the first cell that is not empty
};

// All columns have the same number of cells. Ends with a line break; lines have no blanks at their ends.
std::string table_text(std::vector<Column> columns);

// The same as a table of Markdown with all columns.
std::string markdown_text(std::vector<Column> columns);

} // namespace nestbed
