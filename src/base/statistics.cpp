#include "base/statistics.hpp"

#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

namespace nestbed
{

namespace
{

void require_values(const std::vector<double>& values)
{
    if (values.empty())
        throw std::invalid_argument("statistics of no values");
}

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kResamples = 2000;

double median_of(const Rounds& rounds)
{
    std::vector<double> values;
    for (const std::vector<double>& round : rounds)
        values.insert(values.end(), round.begin(), round.end());
    return median(std::move(values));
}

// Medians of resamples: each draws as many rounds as there are, with replacement.
std::vector<double> resampled_medians(Rounds rounds, std::uint64_t seed)
{
    for (std::vector<double>& round : rounds)
        std::ranges::sort(round);
    std::ranges::sort(rounds); // makes the result independent of the order of the rows in a log
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::size_t> pick(0, rounds.size() - 1);
    std::vector<double> medians(kResamples);
    std::vector<double> resample;
    for (double& one : medians) {
        resample.clear();
        for (std::size_t count = 0; count < rounds.size(); ++count) {
            const std::vector<double>& round = rounds[pick(random)];
            resample.insert(resample.end(), round.begin(), round.end());
        }
        one = boost::math::statistics::median(resample);
    }
    return medians;
}

double made_of(const std::vector<double>& values, Over over)
{
    if (over == Over::least)
        return std::ranges::min(values);
    if (over == Over::greatest)
        return std::ranges::max(values);
    double logarithms = 0;
    for (const double value : values)
        logarithms += std::log(value);
    return std::exp(logarithms / static_cast<double>(values.size()));
}

// From the 0.025 to the 0.975 quantile; NaN if any resample is NaN.
Interval middle_95(const std::vector<double>& resampled)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (std::ranges::any_of(resampled, [](double one) { return std::isnan(one); }))
        return {.low = kNone, .high = kNone};
    return {.low = quantile(resampled, 0.025), .high = quantile(resampled, 0.975)};
}

} // namespace

double median(std::vector<double> values)
{
    require_values(values);
    return boost::math::statistics::median(values);
}

double median_absolute_deviation(std::vector<double> values)
{
    // Computed from two medians: median_absolute_deviation in Boost 1.74 does not subtract the center.
    const double center = median(values);
    for (double& value : values)
        value = std::abs(value - center);
    return boost::math::statistics::median(values);
}

double quantile(std::vector<double> values, double p)
{
    require_values(values);
    if (!(p >= 0 && p <= 1))
        throw std::invalid_argument("a quantile outside 0 to 1");
    std::ranges::sort(values);
    const double place = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

Rounds rounds_of_one(const std::vector<double>& values)
{
    Rounds rounds;
    for (const double value : values)
        rounds.push_back({value});
    return rounds;
}

Estimate estimate(const std::vector<Part>& parts, Over over)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values;
    std::vector<std::vector<double>> draws;
    for (const Part& part : parts) {
        const std::uint64_t seed = kSeed + 2 * values.size();
        values.push_back(median_of(part.above) / part.per);
        draws.push_back(resampled_medians(part.above, seed));
        for (double& drawn : draws.back())
            drawn /= part.per;
        if (part.below.empty())
            continue;
        const Rounds& below = *std::ranges::min_element(part.below, {}, median_of);
        const double middle = median_of(below);
        if (!(middle > 0))
            return {.value = kNone, .interval = {.low = kNone, .high = kNone}};
        values.back() /= middle;
        std::ranges::transform(draws.back(), resampled_medians(below, seed + 1), draws.back().begin(),
                               std::divides());
    }
    require_values(values);
    Estimate whole{.value = made_of(values, over)};
    std::vector<double> resampled(kResamples);
    for (std::size_t draw = 0; draw < resampled.size(); ++draw) {
        std::ranges::transform(draws, values.begin(), [&](const auto& drawn) { return drawn[draw]; });
        resampled[draw] = made_of(values, over);
    }
    whole.interval = middle_95(resampled);
    return whole;
}

Estimate estimate_median(const std::vector<double>& values)
{
    return estimate({{.above = rounds_of_one(values)}});
}

Estimate estimate_ratio(const std::vector<double>& above, const std::vector<double>& below)
{
    return estimate({{.above = rounds_of_one(above), .below = {rounds_of_one(below)}}});
}

double fisher_exact_fewer(std::size_t good, std::size_t rows, std::size_t other_good, std::size_t other_rows)
{
    const auto all_good = static_cast<unsigned>(good + other_good);
    const auto drawn = static_cast<unsigned>(rows);
    const auto all = static_cast<unsigned>(rows + other_rows);
    return cdf(boost::math::hypergeometric_distribution<>(all_good, drawn, all), static_cast<unsigned>(good));
}

} // namespace nestbed
