// The program's variables of kernels, and the pads behind them (see launch.hpp).
#pragma once

#include "program/include/nestbed/program.hpp"

#include <cstddef>
#include <optional>

namespace nestbed::program
{

// Of the variable of kernels that is at the address; empty: none is.
std::optional<VariableKind> kind_of_variable(const void* address);
// Whether it is in a static variable of the host.
bool is_host_variable(const void* address);
// Static storage that nobody uses: an access there is reported. Returns true. Declared in launch.hpp, too, for the files of the program.
bool known_pad(char* begin, std::size_t bytes);
// For the handler of SIGSEGV: reports an access to a pad, and gives it memory. Returns false of another address.
bool report_pad_access(const void* address, std::optional<bool> write, const void* code);

} // namespace nestbed::program
