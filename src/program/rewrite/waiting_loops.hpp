// Loops in which a thread may wait for what another one writes.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// The executor runs the threads of a block in turn, so a thread that waits must let the others run. In device code, `while (*flag == 0)`
// becomes `while (::nestbed::program::waits(kRound), *flag == 0)` if the loop changes nothing of what its condition depends on; where it has no
// body either, waits() gives way soon. Atomic operations in loops do the same by themselves.
void rewrite_waiting_loops(const Source& source, const std::vector<TokenRange>& device, Changes& changes);

} // namespace nestbed::program
