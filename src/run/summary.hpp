// The table at the end of a run.
#pragma once

#include "base/bars.hpp"
#include "base/terminal.hpp"
#include "run/reference_times.hpp"
#include "run/runner.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

// One line per case: median, median absolute deviation and 95 % bootstrap interval of the median over the samples
// that are ok, device launches, median latency of a launch, ratio to the fastest flat form on the same input by the
// same clock, and a bar for comparing times at a glance. Columns in which all cases agree appear once, above the
// table. Times of the executor say nothing about a GPU: they have no bar, bandwidth and ratio, and a line above the table
// says so. Beside them stand those of the same cases in another log, if there is one.
std::string summary_table(const std::string& title, const std::vector<CaseResult>& results,
                          const std::map<BackendKind, RunFacts>& runs, BarStyle bars, const Terminal& terminal,
                          const std::optional<ReferenceTimes>& reference = {});

// The same as Markdown, without the bars.
std::string summary_markdown(const std::string& title, const std::vector<CaseResult>& results,
                             const std::map<BackendKind, RunFacts>& runs,
                             const std::optional<ReferenceTimes>& reference = {});

} // namespace nestbed
