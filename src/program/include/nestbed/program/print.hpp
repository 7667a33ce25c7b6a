// printf() of kernels, which the rewriter puts in place of C's.
#pragma once

#include "builtins.hpp"

namespace nestbed::program
{

// Prints as C's does, and returns `count`, the number of arguments; -1 if the format is NULL. What is behind argument 32 is not read, and
// its part of the format is printed as it is (CUDA C++ Programming Guide, "Formatted Output").
int print_of_kernel(unsigned count, const char* format, ...);

// Says that some kernel of the program may print. Returns true.
bool kernels_print();
template <class... Values>
inline const bool kPrints = kernels_print(); // before main()

// In a function for both sides it may be the host's.
template <class... Values>
int print(const char* format, Values... values)
{
    static_cast<void>(&kPrints<Values...>);
    return cpu::in_kernel() ? print_of_kernel(sizeof...(values), format, values...) : ::printf(format, values...);
}

} // namespace nestbed::program
