// Files that are the input of a case.
#pragma once

#include <string>
#include <string_view>

namespace nestbed
{

// Case::graph_file has the path and the begin of the SHA-256 of the content: "road.gr#0123456789ab", so that a log says
// which file it is of. Throws RunError if the file cannot be read, is compressed or larger than 8 GiB, or if its name has
// a space, '#', '=', or a character that cannot be printed.
std::string graph_file_id(const std::string& path);
// The path alone.
std::string path_in(const std::string& graph_file_id);
// The content of the file. Throws RunError, also if the content has changed.
std::string read_graph_file(const std::string& graph_file_id);
// Throws RunError if the content, or the name, is that of a compressed file.
void refuse_compressed(const std::string& path, std::string_view text);

} // namespace nestbed
