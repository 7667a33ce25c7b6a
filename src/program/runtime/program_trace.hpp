// The grids of a program, for its launch tree and its timeline.
#pragma once

#include "inspect/launch_trace.hpp"
#include "program/runtime/program_ledger.hpp"

namespace nestbed::program
{

LaunchTrace launch_trace(const Ledger& ledger);

} // namespace nestbed::program
