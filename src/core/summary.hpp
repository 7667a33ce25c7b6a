// The table at the end of a run.
#pragma once

#include "runner.hpp"

#include <map>
#include <string>
#include <vector>

namespace nestbed
{

// A line a case: median and its spread over the samples that are ok, device launches, ratio to `neighbored`
// on the same input. Columns in which all cases agree are said once, above the table; it fits 80 characters
// unless more than three axes vary.
std::string summary_table(const Plan& plan, const std::vector<CaseResult>& results,
                          const std::map<BackendKind, RunFacts>& runs);

// Samples that are not ok.
std::size_t bad_samples(const std::vector<CaseResult>& results);

} // namespace nestbed
