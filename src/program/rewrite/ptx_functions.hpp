// Instructions of PTX with a function of their own in nestbed/program/ptx.hpp and ptx_arithmetic.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

struct PtxFunction {
    std::string name;                  // "": there is none
    std::vector<std::size_t> operands; // those of the statement that it takes
};
// The function for one instruction: "mov.u32 %1, %0".
PtxFunction ptx_function(std::string instruction);

// The type in C++ of "b32" and the like; "" for others.
std::string_view type_of_ptx(std::string_view type);

} // namespace nestbed::program
