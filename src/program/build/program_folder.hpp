// The folder `program`: headers, libraries and tools for users' programs.
#pragma once

#include <filesystem>

namespace nestbed::program
{

// ReferenceTimes nestbed in a build, and in libexec/nestbed/program of an installation. Throws RunError if there is none.
std::filesystem::path program_folder();

} // namespace nestbed::program
