// The launches that depend on the input, which the executor counts as a GPU would.
#pragma once

#include "log/case_result.hpp"
#include "log/parsed_log.hpp"
#include "model/case.hpp"
#include "plan/settings.hpp"

#include <functional>
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

// Runs each case of the settings that `is_wanted` once on the executor, says on `err` how long that takes, and which case
// did not run right. Empty: there are none. Throws UsageError and RunError as a run does, and Interrupted.
std::optional<ExecutorCounts> counts_on_executor(Settings settings, const std::function<bool(const Case&)>& is_wanted,
                                                 std::ostream& err);

} // namespace nestbed
