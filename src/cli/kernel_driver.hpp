// A main() for a kernel that has none: --kernel NAME --grid 4 --block 64 --arg int:4096 --arg int=4096.
#pragma once

#include "cli/arguments.hpp"

#include <filesystem>
#include <string>

namespace nestbed
{

// --kernel, --grid, --block, --shared, --arg, --driver.
Options kernel_options();

// The text of a CUDA file that includes the source, gives the kernel its arguments, launches it once, and prints each array. Throws
// UsageError.
std::string kernel_driver(const Given& given, const std::filesystem::path& source);

// If the compiler refused that file for what the options say, throws a UsageError with what they may be. `messages`: the compiler's.
void refuse_by_compiler(const Given& given, const std::filesystem::path& source, const std::string& messages);

} // namespace nestbed
