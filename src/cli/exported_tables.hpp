// The tables of the program as JSON, for scripts: what `nestbed list --json` prints.
#pragma once

#include "model/strategy.hpp"

#include <span>
#include <string>

namespace nestbed
{

// Workloads, axes, columns of the log, mechanisms, and these strategies.
std::string exported_tables(std::span<const StrategyInfo* const> strategies);

} // namespace nestbed
