// Inline PTX for the executor.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// Replaces the forms of PTX that the executor has, such as "bfind.u32 %0, %1;", by calls of functions. Empty statements,
// assembly of the host outside of kernels and names for the linker stay. All other PTX becomes a call
// that the compiler reports as an error where it makes code of it, because headers have functions that nobody calls.
void rewrite_inline_ptx(const Source& source, const std::vector<Function>& functions, bool whole_program,
                        Changes& changes);

} // namespace nestbed::program
