// A file as one text.
#pragma once

#include <cstddef>
#include <string>

namespace nestbed
{

// More is no log, manifest or profile: it would take all memory before that is said.
constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

// Throws RunError that names the file when it cannot be read, is no regular file (a pipe or a device may have no end), or has more bytes.
std::string read_text_file(const std::string& path, std::size_t most_bytes = kMostTextBytes);

} // namespace nestbed
