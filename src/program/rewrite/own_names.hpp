// The program's own variables whose names are those of CUDA's built-in variables.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// threadIdx, blockIdx, blockDim and gridDim are macros of nestbed's headers (include/nestbed/program/builtins.hpp). Where the program
// means a variable or a member of its own, as `dim3 gridDim(4)` in host code, they become names again.
void restore_own_names(const Source& source, const std::vector<Function>& functions,
                       const std::vector<LambdaBody>& lambdas, Changes& changes);

} // namespace nestbed::program
