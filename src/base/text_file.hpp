// A file as one text.
#pragma once

#include <string>

namespace nestbed
{

// Throws RunError that names the file when it cannot be read.
std::string read_text_file(const std::string& path);

} // namespace nestbed
