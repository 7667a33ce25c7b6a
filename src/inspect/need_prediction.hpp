// Predictions of launches by need from the counts in a log, which are the oracle's, and the choices of threshold,
// coarsening and aggregation that follow. Pure.
#pragma once

#include "inspect/prediction.hpp"
#include "log/logged_cases.hpp"
#include "log/parsed_log.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nestbed
{

// The cases of one strategy, mechanism and input that differ in threshold, coarsening and aggregation only.
struct NeedStudy {
    std::vector<PredictedCase> cases; // all measured
    std::size_t chosen = 0;           // index of the case with the least predicted time
    std::size_t best = 0;             // index of the case with the least measured time
    double flat_us = 0;               // the best flat form of the same input, measured
    double alone_us = 0;              // with the highest threshold, measured

    // Measured: the chosen case over the best.
    double cost_of_choice() const;
};

// The studies of a log: at least two thresholds and a flat form of the same input, all measured. `results`: the cases
// of `log`. Throws RunError that names file, line and column for a cell that is not a number.
std::vector<NeedStudy> need_studies(const Roofline& roofline, const ParsedLog& log,
                                    std::span<const CaseResult> results);

} // namespace nestbed
