// The user's own headers in place of their #include.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestbed::program
{

// The text of a file with line marks, in which `#include "FILE"` or <FILE> of a FILE beside the including one, or in the folder of the
// first, is that file's text. Other directives stay, and conditions and guards have the same effect as before; `#pragma once` becomes
// a guard. `files` gets the names of the file and of those headers. Throws RunError "FILE:LINE: reason" if one cannot be read.
std::string with_user_headers(const std::filesystem::path& file, std::vector<std::filesystem::path>& files);

} // namespace nestbed::program
