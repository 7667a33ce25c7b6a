// Predictions of the launch roofline for many cases, beside what a log measured. Pure.
#pragma once

#include "base/statistics.hpp"
#include "log/case_result.hpp"
#include "log/parsed_log.hpp"
#include "predict/roofline.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestbed
{

struct PredictedCase {
    Demand demand;
    Prediction prediction;
    // Of the GPU times that are ok. Empty: not measured. The interval is NaN with fewer than kFewestSamples.
    std::optional<Estimate> measured;
    // The prediction was made from this measured time: data-dependent launches that launch nothing.
    bool given = false;

    bool at_least() const { return prediction.bound == Bound::launches; }
    // measured / predicted
    std::optional<double> ratio() const;
};

struct Predictions {
    std::vector<PredictedCase> cases;
    std::map<std::string, std::size_t> left_out; // why cases cannot be predicted, with their number
};

// The settings of a case on a GPU, also of one that the executor runs, which knows neither `submit` nor `l2`.
std::string text_on_gpu(Case point);

// A log and its cases.
struct CountedLog {
    ParsedLog log;
    std::vector<CaseResult> results;
};

// The first row of each key that is ok. Empty unless the log has these columns.
std::map<std::string, LogRow> rows_by_key(const ParsedLog& log, std::initializer_list<const char*> columns);
std::vector<std::uint64_t> launches_by_depth(const ParsedLog& log, const LogRow& row);

// What the rows of a log counted that are ok, by text_on_gpu() of their cases. Empty without the columns.
using CountedCases = std::map<std::string, CountedLaunches>;
CountedCases counts_in(const CountedLog& log);

// In the order of `points`. `results`: what a log measured; there may be none. A case is that of a result with the same
// settings, or with the same key. A case whose work depends on the input is predicted only if it is among `counts`: as at
// least what its launches take. Throws RunError as predict() does.
Predictions predictions_of(const Roofline& roofline, std::span<const Case> points,
                           std::span<const CaseResult> results, const CountedCases& counts = {});

// Adds cases whose launches depend on the input, which predictions_of() left out.
void add_cases(Predictions& predictions, std::span<const PredictedCase> cases);

// How near the predictions are: over the cases that were measured, without those of which only the least time is known.
struct Nearness {
    std::size_t cases = 0;
    double median_off = 0; // median of |measured / predicted - 1|; NaN without cases
    double within = 0;     // share of cases whose |measured / predicted - 1| is at most kNear
};
inline constexpr double kNear = 0.25;
Nearness nearness_of(std::span<const PredictedCase> cases);

} // namespace nestbed
