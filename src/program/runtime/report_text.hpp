// The table, the warning and the JSON that a program gives at its end. `nestbed count` gives the same.
#pragma once

#include "base/json.hpp"
#include "program/runtime/program_ledger.hpp"
#include "program/runtime/suppressions.hpp"

#include <optional>
#include <string>
#include <vector>

namespace nestbed::program
{

// One line per kernel, and a last one `total` if there are several.
std::string launches_text(const std::vector<KernelCounts>& counts, const nestbed_count::GraphLaunches& graphs = {});

// A "warning: ..." per kernel of which launches were refused, with what to do in indented lines.
std::string refusals_text(const std::vector<KernelCounts>& counts);

// What the race detector found, without what is suppressed; then the suppressions that were used, and those that were
// not.
std::string checked_text(const CheckedRaces& races);

// `incomplete`: why there may be more than what was found; empty: this is all. `races`: of a watched program.
Json report_json(const std::vector<KernelCounts>& counts, const nestbed_count::GraphLaunches& graphs,
                 const std::vector<FailedKernel>& failed, const std::string& incomplete,
                 const std::optional<CheckedRaces>& races);

} // namespace nestbed::program
