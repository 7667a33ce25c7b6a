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

// All take at least one value, in any order, and throw std::invalid_argument for none.

// Boost.Math.
double median(std::vector<double> values);
// Median of the absolute deviations from the median, not scaled.
double median_absolute_deviation(std::vector<double> values);
// The `p` quantile, 0 <= p <= 1, by linear interpolation between order statistics: Hyndman and Fan, "Sample
// Quantiles in Statistical Packages" (1996), definition 7.
double quantile(std::vector<double> values, double p);
// Medians of 2000 samples drawn with replacement from `values`, the draws from `seed`.
std::vector<double> resampled_medians(const std::vector<double>& values, std::uint64_t seed);
// Percentile bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", chapter 13) of the median,
// 95 %, of resampled_medians().
Interval bootstrap_median(const std::vector<double>& values, std::uint64_t seed);

// From the 0.025 to the 0.975 quantile: the 95 % interval of a percentile bootstrap.
Interval middle_95(const std::vector<double>& resampled);

// Fisher's exact test ("The Logic of Inductive Inference", 1935), one-sided: the probability that of `rows` as few as `good` are good,
// or fewer, where they and the `other_rows`, of which `other_good` are, had all the same chance. Boost.Math.
double fisher_exact_fewer(std::size_t good, std::size_t rows, std::size_t other_good, std::size_t other_rows);

} // namespace nestbed
