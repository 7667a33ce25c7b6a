// Places in source files as reports give them.
#pragma once

#include <string>
#include <string_view>

namespace nestbed
{

// Relative to the folder in which the program began if the file is below it, else absolute. Of a relative path the folder is not known:
// it stays relative.
std::string reported_path(std::string_view file);
// "sub/my.cu:12".
std::string reported_place(std::string_view file, unsigned line);

} // namespace nestbed
