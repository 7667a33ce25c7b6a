// The help of nestbed and of each of its commands.
#pragma once

#include "cli/commands.hpp"
#include "model/strategy.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// "nestbed run [EXPERIMENT.cfg] [options]".
std::string usage_of(const Command& command);
// All options of a command, including --help.
Options options_of(const Command& command);
// Whether the command has --load, with a workload of the user's own.
bool takes_load(const Command& command);

std::string help_text();
std::string help_text(const Command& command);
// The parameters of a workload, or of a strategy, as settings of this command. Throws UsageError if there is neither.
std::string help_text(const Command& command, const std::string& name);

// Those of the workload that have a meaning of their own there, with their meaning and default; empty if there are none.
std::string parameters_text(const WorkloadInfo& workload, const std::vector<const StrategyInfo*>& strategies);

} // namespace nestbed
