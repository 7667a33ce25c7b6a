// The numbers of the claims, from the CSVs.
#pragma once

#include "base/statistics.hpp"
#include "inspect/claims.hpp"
#include "log/parsed_log.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

struct MeasuredNumber {
    double value = 0;                 // in the unit of the number; of `count` the share of the rows
    std::string text;                 // "8.59 ms", "16384", "48 of 50"
    std::optional<Interval> interval; // 95 %, by a percentile bootstrap; of `count` and `same` there is none
    std::vector<std::size_t> lines;   // of the CSV: the rows that it rests on, in order
};

// Throws RunError that names the claim's number and what is wrong: a selection without a row, a row that is not ok, a cell that is
// no number.
MeasuredNumber measure(const ClaimNumber& number, const ParsedLog& log);

// " where strategy = nosync, grid = 1 to 64"; empty for all rows.
std::string where(const Selection& selection);
// Significant digits, never with an exponent: 0.0761, 20.7, 3651.
std::string digits_text(double value, int digits);

// How it comes about: "median of gpu_us where strategy = nosync, type = int32".
std::string description_of(const ClaimNumber& number);

// "8.13 to 9.33 ms"; empty for nothing.
std::string interval_text(const ClaimNumber& number, const std::optional<Interval>& interval);

// "within 25 %", "the same".
std::string within_text(const ClaimNumber& number);

// Whether a second measurement is as near to the first as the number asks.
bool near(const ClaimNumber& number, const MeasuredNumber& first, const MeasuredNumber& second);

} // namespace nestbed
