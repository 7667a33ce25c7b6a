// Texts in gzip's format (RFC 1952), with zlib.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestbed
{

// Whether a file with this content is compressed: its first bytes say so, whatever its name is.
bool is_gzip(std::string_view content);

// The text in it. Throws RunError that names the file `path` if the content is damaged or cut off, or if the text has
// more than `max_bytes`.
std::string unpacked_gzip(std::string_view content, const std::string& path, std::size_t max_bytes);

} // namespace nestbed
