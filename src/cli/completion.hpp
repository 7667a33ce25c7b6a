// Completion of command lines in shells, which ask the program (cli/completion.bash).
#pragma once

#include "cli/arguments.hpp"

#include <string>

namespace nestbed
{

inline constexpr const char* kCompletionCommand = "completion";

// The words that can stand for the last of these, which may be empty, one per line. None: names of files.
std::string completions(const Arguments& words);

} // namespace nestbed
