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

// What a median is taken of, in rounds that a bootstrap draws whole: samples of one process are alike (Davison and Hinkley, "Bootstrap
// Methods and their Application", section 3.8). Samples that were taken independently are rounds of one.
using Rounds = std::vector<std::vector<double>>;
Rounds rounds_of_one(const std::vector<double>& values);

// With fewer there is no interval worth its name: with 4, of 100 of 95 % 7 leave out what they are of (simulated; src/inspect/compare.hpp).
inline constexpr std::size_t kFewestSamples = 5;

// A number with its 95 % interval: a percentile bootstrap of 2000 resamples (Efron and Tibshirani, "An Introduction to the Bootstrap",
// chapters 8 and 13). The same values give the same interval, in any order. NaN for what is not defined.
struct Estimate {
    double value = 0;
    Interval interval;
};

// The median of `above` over the smallest of the medians of `below`, which must be above 0, and over `per`.
struct Part {
    Rounds above;
    std::vector<Rounds> below = {}; // none: the median itself
    double per = 1;
};

// How one number is made of several.
enum class Over : std::uint8_t { least, greatest, geometric_mean };

// Of at least one part; all sides are drawn independently.
Estimate estimate(const std::vector<Part>& parts, Over over = Over::least);
Estimate estimate_median(const std::vector<double>& values);
Estimate estimate_ratio(const std::vector<double>& above, const std::vector<double>& below);

// Fisher's exact test ("The Logic of Inductive Inference", 1935), one-sided: the probability that of `rows` as few as `good` are good,
// or fewer, where they and the `other_rows`, of which `other_good` are, had all the same chance. Boost.Math.
double fisher_exact_fewer(std::size_t good, std::size_t rows, std::size_t other_good, std::size_t other_rows);

} // namespace nestbed
