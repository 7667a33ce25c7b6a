// The launch tree and the timeline of a program.
#pragma once

#include "program/runtime/program_ledger.hpp"

#include <string>
#include <vector>

namespace nestbed::program
{

// The launch tree, one line for grids that are alike (inspect/tree.hpp).
std::string launch_tree_text(const Ledger& ledger);

// The grids in Chrome's Trace Event Format, which Perfetto and chrome://tracing open: one process per nesting level,
// one slice per grid with its kernel, its configuration and the place of its launch.
std::string timeline_json(const Ledger& ledger);

} // namespace nestbed::program
