// Warnings about programmatic launches (cudaLaunchAttributeProgrammaticStreamSerialization) that need no run.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"
#include "program/rewrite/launches.hpp"

#include <vector>

namespace nestbed::program
{

// Warns of a kernel that is launched programmatically and reads what the kernel before it writes, if it never waits, or reads before its
// wait, or if the kernel before fences and triggers, and then still writes. Looks at two launches that follow each other in one block of host
// code, into one stream, with the same variable as an argument; at kernels of this source that use their parameter by its name; and at
// functions that contain the launch with its attribute. What stands under `if constexpr` is left out.
void warn_of_programmatic_launches(const Source& source, const std::vector<Function>& functions,
                                   const std::vector<Launch>& launches, Changes& changes);

} // namespace nestbed::program
