#pragma once

#include "program/include/nestbed/program/kernel.hpp"

#include <cstddef>

namespace nestbed::program
{

// Bytes of static shared memory of the kernel: of the variables that it and the functions that it calls declare. 0 where its machine
// code cannot be read. `code`: an address within its function.
std::size_t static_shared_bytes(Kernel& kernel, const void* code);

} // namespace nestbed::program
