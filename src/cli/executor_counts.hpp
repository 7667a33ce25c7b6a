// The launches of data-dependent cases, which the executor counts as a GPU would.
#pragma once

#include "log/case_result.hpp"
#include "log/parsed_log.hpp"
#include "model/case.hpp"
#include "plan/settings.hpp"

#include <iosfwd>
#include <optional>
#include <vector>

namespace nestbed
{

struct ExecutorCounts {
    ParsedLog log;
    std::vector<CaseResult> results;
};

bool has_data_dependent_launches(const Case& point);

// Runs each data-dependent case of the settings once on the executor, and says on `err` how long that takes. Empty: there
// are none. Throws UsageError and RunError as a run does, and Interrupted.
std::optional<ExecutorCounts> counts_on_executor(Settings settings, std::ostream& err);

} // namespace nestbed
