// The source files of the program, as they are when it runs.
#pragma once

#include "base/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace nestbed::program
{

// Those that were compiled for the executor, with absolute paths.
std::vector<std::string>& source_files();

// Nothing if the file cannot be read; errno says why.
std::optional<std::string> text_of_file(const std::string& path);

// Adds to each access of a report `source`, the text of its line: it stays the same if the line moves.
void add_source_lines(Json& report);

} // namespace nestbed::program
