// __shared__ variables for the executor: references to memory of the block.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <string_view>
#include <vector>

namespace nestbed::program
{

// `__shared__ T x[4], y;` becomes
//   typedef T nestbed_type_of_x[4], nestbed_type_of_y;
//   static const ::nestbed::program::SharedKey nestbed_key_of_x{sizeof(nestbed_type_of_x)};
//   nestbed_type_of_x& x = ::nestbed::program::shared<nestbed_type_of_x>(&nestbed_key_of_x, "x"); …
// `extern __shared__ T x[];` becomes the same with ::nestbed::program::dynamic_shared. Lambdas capture what is now a reference; before,
// it needed no capture. Outside of functions it becomes a function that returns the reference, and each use of the name a call.
//
// `space`: what is here ::nestbed::program::.
//
// Throws RunError with file and line if a declaration cannot be read.
void rewrite_shared_variables(const Source& source, const std::vector<Function>& functions,
                              const std::vector<LambdaBody>& lambdas, std::string_view space, Changes& changes);

} // namespace nestbed::program
