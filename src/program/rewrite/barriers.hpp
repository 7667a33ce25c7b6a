// Barriers of a block: which of several in one line, and in which iteration of the loops around it a thread comes to one.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// Barriers and loops within `device`, the code that a GPU runs, and within nothing else.
void rewrite_barriers(const Source& source, const std::vector<Function>& functions,
                      const std::vector<TokenRange>& device, Changes& changes);

} // namespace nestbed::program
