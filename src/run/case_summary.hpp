// Summarizes the samples of a case: the numbers in a row of a run's table, and of `nestbed show --csv`.
#pragma once

#include "base/statistics.hpp"
#include "log/case_result.hpp"
#include "log/row.hpp"
#include "model/bandwidth.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct CaseSummary {
    std::string_view clock;              // "gpu" or "wall"; empty if no sample has a time
    std::size_t timed = 0;               // number of samples that are ok and have a time
    std::optional<double> median_us;     // of these samples
    std::optional<Interval> interval_us; // 95 %; only for at least kFewestSamples samples
    std::optional<double> mad_us;        // median absolute deviation
    // Of samples that are many runs: medians of their quantiles of wall_us, and the worst of all.
    std::optional<Spread> of_runs;
    std::optional<std::uint64_t> launches;
    std::optional<double> latency_us; // the median over all launches of all samples
    Bandwidth bandwidth;              // for the median time
    std::string status;               // "ok", or how many samples have which status: "3 of 30 wrong"
};

// The clock that times the case.
std::string_view clock_of(const CaseResult& result);
CaseSummary summary_of(const CaseResult& result, const RunFacts& run);

// One line per case with all settings and numbers, not shortened: as CSV, and as a JSON list of objects.
std::string summary_csv(const std::vector<CaseResult>& results, const std::map<BackendKind, RunFacts>& runs);
std::string summary_json(const std::vector<CaseResult>& results, const std::map<BackendKind, RunFacts>& runs);

} // namespace nestbed
