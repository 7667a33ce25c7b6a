// The tables of the program as JSON, for scripts: what `nestbed list --json` prints.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestbed
{

// Workloads, axes, columns of the log, mechanisms, and the strategies with these names.
std::string exported_tables(std::span<const std::string_view> strategies);

} // namespace nestbed
