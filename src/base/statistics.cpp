#include "base/statistics.hpp"

#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace nestbed
{

namespace
{
void require_values(const std::vector<double>& values)
{
    if (values.empty())
        throw std::invalid_argument("statistics of no values");
}
} // namespace

double median(std::vector<double> values)
{
    require_values(values);
    return boost::math::statistics::median(values);
}

double median_absolute_deviation(std::vector<double> values)
{
    // By hand from two medians: Boost 1.74's median_absolute_deviation forgets to subtract the center.
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

std::vector<double> resampled_medians(const std::vector<double>& values, std::uint64_t seed)
{
    require_values(values);
    constexpr int kResamples = 2000;
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
    std::vector<double> medians(kResamples);
    std::vector<double> resample(values.size());
    for (double& one : medians) {
        std::ranges::generate(resample, [&] { return values[pick(random)]; });
        one = boost::math::statistics::median(resample);
    }
    return medians;
}

Interval bootstrap_median(const std::vector<double>& values, std::uint64_t seed)
{
    return middle_95(resampled_medians(values, seed));
}

Interval middle_95(const std::vector<double>& resampled)
{
    return {.low = quantile(resampled, 0.025), .high = quantile(resampled, 0.975)};
}

double fisher_exact_fewer(std::size_t good, std::size_t rows, std::size_t other_good, std::size_t other_rows)
{
    const auto all_good = static_cast<unsigned>(good + other_good);
    const auto drawn = static_cast<unsigned>(rows);
    const auto all = static_cast<unsigned>(rows + other_rows);
    return cdf(boost::math::hypergeometric_distribution<>(all_good, drawn, all), static_cast<unsigned>(good));
}

} // namespace nestbed
