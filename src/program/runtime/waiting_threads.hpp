// Threads that wait for ever.
#pragma once

#include "device/cpu/standstill.hpp"

namespace nestbed::program
{

cpu::UsersProgram& users_program();

} // namespace nestbed::program
