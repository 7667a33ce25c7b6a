// The precompiled header of the executor's CUDA headers. It saves most of the time of compiling a small program. There
// is one per combination of flags: for the usual ones beside the headers, made with nestbed; for others in the user's
// cache, made on first use.
#pragma once

#include "program/build/toolchain.hpp"

#include <string>
#include <vector>

namespace nestbed::program
{

// Where precompiled headers are kept: $XDG_CACHE_HOME/nestbed or ~/.cache/nestbed. Empty if there is no home.
std::filesystem::path cache_folder();

// The path of a header that .cu files include first. It includes cuda_runtime.h and is precompiled for these flags if
// a place for it can be written to. `flags`: all that g++ gets, but the user's macros and folders. Writes nothing but
// what is in the cache or in `own_folder`, which is for a header that cannot be kept.
std::string header_for(const Toolchain& toolchain, const std::vector<std::string>& flags,
                       const std::filesystem::path& own_folder);

// Makes the headers that come with nestbed, in TOOLCHAIN/precompiled. Throws RunError.
void precompile(const Toolchain& toolchain, const std::vector<std::string>& flags);

// Removes the precompiled header from a Makefile rule that g++ wrote: a rule must not depend on a cache. Throws RunError
// if the file cannot be written.
void remove_header_from_rule(const std::string& dependency_file, const std::string& header);

} // namespace nestbed::program
