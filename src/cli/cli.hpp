// The command line of nestbed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace nestbed
{

// Runs one command. `arguments` does not contain the program's name. Data and tables go to `out`, messages to `err`.
// Exceptions are the lines of `hello`, which the kernels print, and a CSV written to `-`: both go to standard output.
// Returns the exit code; throws nothing.
int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

} // namespace nestbed
