// What the process has at an address that is in no memory of the device.
#pragma once

#include <cstdint>

namespace nestbed::races
{

// Whether it is in what is mapped from a file of a program or of a library, where an access can be right: constants, the tables of virtual
// functions, and variables of a shared library of the user.
bool is_of_module(std::uintptr_t address);

// Whether an access there does not end in a signal.
bool has_memory(std::uintptr_t address);

} // namespace nestbed::races
