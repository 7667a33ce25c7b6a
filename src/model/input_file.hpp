// Files that are the input of a case.
#pragma once

#include <string>
#include <string_view>

namespace nestbed
{

// The parameter of a workload (Parameter::file) has the path and the begin of the SHA-256 of the content: "road.gr#0123456789ab", so that a log says
// which file it is of. The content of a file in gzip is what it unpacks to. Throws RunError if the file cannot be read, is
// compressed by another program or larger than 8 GiB, or if its name has
// a space, '#', '=', or a character that cannot be printed.
std::string graph_file_id(const std::string& path);
// The path alone.
std::string path_in(const std::string& graph_file_id);
// The content of the file. Throws RunError, also if the content has changed.
std::string read_graph_file(const std::string& graph_file_id);
// Throws RunError if the name is that of a file that is compressed, but not by gzip.
void refuse_compressed(const std::string& path);

} // namespace nestbed
