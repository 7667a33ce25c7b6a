// Types of pointers to kernels.
#pragma once

#include "program/rewrite/source.hpp"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace nestbed::program
{

// The ( of the parameters of each such type: of a variable or a parameter of a function that is launched or gets a kernel, and of an alias
// whose variables do. `kernels`: their names; `launched`: the tokens at which a pointer is launched.
std::vector<std::size_t> parameters_of_kernel_pointers(const Source& source,
                                                       const std::unordered_set<std::string_view>& kernels,
                                                       const std::vector<std::size_t>& launched);

} // namespace nestbed::program
