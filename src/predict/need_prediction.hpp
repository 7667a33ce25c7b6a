// Predictions of data-dependent launches from the counts in logs, which are the oracle's, and the choices of threshold,
// coarsening and aggregation that follow. Pure.
#pragma once

#include "log/logged_cases.hpp"
#include "log/parsed_log.hpp"
#include "predict/prediction.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestbed
{

// The cases of one strategy, mechanism and input that differ in threshold, coarsening and aggregation only.
struct NeedStudy {
    std::vector<PredictedCase> cases;
    std::size_t chosen = 0; // index of the case with the least predicted time
    std::size_t best = 0;   // index of the case with the least measured time
    double flat_us = 0;     // the best flat form of the same input, measured
    double alone_us = 0;    // with the highest threshold, measured

    // Measured: the chosen case over the best. Empty: the chosen case was not measured.
    std::optional<double> cost_of_choice() const;
};

// A log and its cases.
struct CountedLog {
    const ParsedLog* log;
    std::span<const CaseResult> results;
};

// The studies of a log of a GPU: a flat form and the highest threshold, both measured, and a lower threshold, measured or
// at least counted in another log, which may be of the executor. Throws RunError that names file, line and column for a
// cell that is not a number.
std::vector<NeedStudy> need_studies(const Roofline& roofline, const CountedLog& measured,
                                    const std::optional<CountedLog>& counted = std::nullopt);

} // namespace nestbed
