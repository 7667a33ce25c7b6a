// Does the work of an nvcc command line for the executor.
#pragma once

#include "base/subprocess.hpp"
#include "program/build/nvcc_command.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace nestbed::program
{

// The variable that names a file to which every call of nvcc adds a line: `nestbed cpu -- make` sees from it whether
// the build has called this nvcc.
inline constexpr const char* kCallsVariable = "NESTBED_NVCC_CALLS";

// Throws UsageError if NESTBED_WATCH is neither 0 nor 1.
NvccEnvironment nvcc_environment();

// Adds that line, if the variable is set. Throws RunError.
void note_call();

// Compiles and links. `folder`: where the headers and libraries are. What the compiler and the linker say
// goes to `err`.
// Returns an exit code (base/error.hpp): exit_could_not if a step failed, which has then said why. Throws UsageError
// or RunError.
int run_nvcc(const NvccCommand& command, const std::filesystem::path& folder, const HeldSignals& signals,
             std::ostream& out, std::ostream& err);

// As nestbed's nvcc answers --version: with "release 13.0", which Makefiles look for.
std::string nvcc_version_text();

// Makes the precompiled headers of the usual flags: C++17, and if there is a detector the same watched.
void precompile_default(const std::filesystem::path& folder);

} // namespace nestbed::program
