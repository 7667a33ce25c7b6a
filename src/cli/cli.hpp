// The command line: nestbed run | list | info | hello.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace nestbed
{

// Runs one command; arguments without the program's name. Data and tables go to `out`, messages to `err` (but
// the lines of `hello`, printed by the kernels, and a CSV written to `-`, go to standard output). Returns the
// exit code; throws nothing.
int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

} // namespace nestbed
