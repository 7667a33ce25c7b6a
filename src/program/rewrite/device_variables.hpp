// __device__, __constant__ and __managed__ variables for the executor.
#pragma once

#include "program/rewrite/changes.hpp"

namespace nestbed::program
{

// They are told to the run-time library by their names: behind `__device__ T x;` comes a call of ::nestbed::program::register_symbol().
// `whole_program`: without -rdc=true nvcc gives each file a variable of its own (internal linkage), so that a header may define one;
// here it becomes static. A variable that the file also declares `extern` stays as it is.
void rewrite_device_variables(const Source& source, bool whole_program, Changes& changes);

} // namespace nestbed::program
