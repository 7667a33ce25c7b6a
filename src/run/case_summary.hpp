// What the samples of a case come to: the numbers of a line in the table of a run, and of `nestbed show --csv`.
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
    std::string_view clock;              // "gpu" or "wall"; empty where no sample has a time
    std::size_t timed = 0;               // samples that are ok and have a time
    std::optional<double> median_us;     // of those
    std::optional<Interval> interval_us; // 95 %; of kFewestSamples and more
    std::optional<double> mad_us;        // median absolute deviation
    std::optional<std::uint64_t> launches;
    std::optional<double> latency_us; // the median over all launches of all samples
    Bandwidth bandwidth;              // of the median time
    std::string status;               // "ok", or how many of which: "3 of 30 wrong"
};

// Which clock a case is timed by.
std::string_view clock_of(const CaseResult& result);
// The detail of the first sample that is not ok; empty where all are.
std::string reason_of(const CaseResult& result);
CaseSummary summary_of(const CaseResult& result, const RunFacts& run);

// A line per case, all settings and numbers in full: a CSV, and a JSON list of objects.
std::string summary_csv(const std::vector<CaseResult>& results, const std::map<BackendKind, RunFacts>& runs);
std::string summary_json(const std::vector<CaseResult>& results, const std::map<BackendKind, RunFacts>& runs);

} // namespace nestbed
