// Reads a file as one text.
#pragma once

#include "base/file_place.hpp"

#include <cstddef>
#include <string>

namespace nestbed
{

// No log, manifest or profile is larger. A larger file would use up all memory before an error is reported.
constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

// Throws RunError that names the file if it cannot be read, is not a regular file (a pipe or a device may have no
// end), or is too large.
std::string read_text_file(const std::string& path, std::size_t most_bytes = kMostTextBytes);
// The same in a folder that is already open. A link is an error.
std::string read_text_file(const FilePlace& place);

} // namespace nestbed
