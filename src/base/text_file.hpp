// Reads a file as one text.
#pragma once

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
// The content of a file that is open, as it is, from where it was read last. `path` names it in errors.
std::string read_open_text(int file, const std::string& path);

// The parts of these functions. Throw RunError that names the file.
int open_text(const std::string& path); // below 0 if it cannot be opened; errno says why
std::size_t size_of_text(int file, const std::string& path);
[[noreturn]] void refuse_text(const std::string& path, const std::string& why);

} // namespace nestbed
