// Summary statistics of repeated measurements.
#pragma once

#include <cstdint>
#include <vector>

namespace nestbed
{

struct Interval {
    double low = 0;
    double high = 0;
};

// All take at least one value, in any order, and throw std::invalid_argument for none.

// Boost.Math.
double median(std::vector<double> values);
// Median of the absolute deviations from the median, not scaled.
double median_absolute_deviation(std::vector<double> values);
// The `p` quantile, 0 <= p <= 1, by linear interpolation between order statistics: Hyndman and Fan, "Sample
// Quantiles in Statistical Packages" (1996), definition 7.
double quantile(std::vector<double> values, double p);
// Percentile bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", chapter 13) of the median,
// 95 %, 2000 resamples drawn from `seed`.
Interval bootstrap_median(const std::vector<double>& values, std::uint64_t seed);

} // namespace nestbed
