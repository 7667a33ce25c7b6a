// Summary statistics of repeated measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestbed
{

struct Interval {
    double low = 0;
    double high = 0;
};

// All functions take at least one value, in any order. They throw std::invalid_argument if there is none.

// From Boost.Math.
double median(std::vector<double> values);
// Median of the absolute deviations from the median, not scaled.
double median_absolute_deviation(std::vector<double> values);
// The `p` quantile, 0 <= p <= 1, by linear interpolation between order statistics: Hyndman and Fan, "Sample
// Quantiles in Statistical Packages" (1996), definition 7.
double quantile(std::vector<double> values, double p);

// What a distribution with a long tail is summarised by: quantiles as by quantile(), and the largest value.
struct Spread {
    double median = 0;
    double p99 = 0;
    double p999 = 0;
    double worst = 0;
};
Spread spread_of(const std::vector<double>& values);

// The values from which a median is taken, grouped in rounds that a bootstrap draws as units: the samples of one
// process are correlated (Davison and Hinkley, "Bootstrap Methods and their Application", section 3.8). Independent
// samples are rounds of one.
using Rounds = std::vector<std::vector<double>>;
Rounds rounds_of_one(const std::vector<double>& values);

// With fewer samples no interval is reliable: with 4, 7 of 100 95 % intervals miss the true value (simulated;
// src/inspect/compare.hpp).
inline constexpr std::size_t kFewestSamples = 5;

// A number with its 95 % interval: a percentile bootstrap of 2000 resamples (Efron and Tibshirani, "An Introduction
// to the Bootstrap", chapters 8 and 13). The same values give the same interval, in any order. Undefined numbers are
// NaN.
struct Estimate {
    double value = 0;
    Interval interval;
};

// The median of `above`, divided by the smallest median of `below` (which must be above 0) and by `per`.
struct Part {
    Rounds above;
    std::vector<Rounds> below = {}; // empty: no division by a median
    double per = 1;
};

// How to combine several numbers into one.
enum class Over : std::uint8_t { least, greatest, geometric_mean };

// Takes at least one part. All samples are resampled independently.
Estimate estimate(const std::vector<Part>& parts, Over over = Over::least);
Estimate estimate_median(const std::vector<double>& values);
Estimate estimate_ratio(const std::vector<double>& above, const std::vector<double>& below);

} // namespace nestbed
