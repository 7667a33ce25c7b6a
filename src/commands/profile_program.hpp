// Runs a program of the user's under Nsight Compute and prints its launches.
#pragma once

#include "cli/arguments.hpp"

#include <iosfwd>
#include <string>

namespace nestbed
{

// words: the program and its arguments. `print`: only prints the commands. Returns the exit code of the program.
// Throws UsageError if the program does not exist, and RunError if ncu could not count.
int profile_program(const Arguments& words, const std::string& ncu, bool print, std::ostream& out, std::ostream& err);

} // namespace nestbed
