// On which side a function runs and a variable is, for the plugin of the compiler (src/program/sides_plugin.cc).
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// Puts attributes in place of __global__ and __device__: nestbed_global, nestbed_device, nestbed_both of functions that have __host__
// too, nestbed_variable. They are taken out of lambdas, where g++ allows none, and with __host__ everywhere else.
void mark_sides(const Source& source, const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas,
                Changes& changes);

} // namespace nestbed::program
