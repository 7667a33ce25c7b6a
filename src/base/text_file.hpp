// Reads a file as one text.
#pragma once

#include "base/file_place.hpp"

#include <cstddef>
#include <string>

namespace nestbed
{

// No log, manifest or profile is larger. A larger file would use up all memory before an error is reported.
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

// The file that holds a text: `path` or, if there is no such file, its compressed form `path`.gz. Every reader of a
// text takes it, so that a text has one name whether it is compressed or not.
std::string stored_path(const std::string& path);
// The name of a text that is given by its file: grid.csv for grid.csv.gz.
std::string text_name(const std::string& path);

// The text of stored_path(path), unpacked if it is compressed with gzip. Throws RunError that names the file if it
// cannot be read, is not a regular file (a pipe or a device may have no end), is damaged, or is too large.
std::string read_text_file(const std::string& path, std::size_t max_bytes = kMaxTextBytes);
// The content of a file, as it is, in a folder that is already open. A link is an error.
std::string read_text_file(const FilePlace& place);

} // namespace nestbed
