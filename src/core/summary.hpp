// The table at the end of a run.
#pragma once

#include "runner.hpp"

#include <map>
#include <string>
#include <vector>

namespace nestbed
{

// A line a case: median, median absolute deviation and the median's 95 % bootstrap interval over the samples that are
// ok, device launches, ratio to `neighbored` on the same input by the same clock. Columns in which all cases agree are
// said once, above the table.
std::string summary_table(const Plan& plan, const std::vector<CaseResult>& results,
                          const std::map<BackendKind, RunFacts>& runs);

// Samples that are not ok.
std::size_t bad_samples(const std::vector<CaseResult>& results);

} // namespace nestbed
