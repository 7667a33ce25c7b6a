#include "base/statistics.hpp"

#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
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

using Pick = std::uniform_int_distribution<std::size_t>;

// The two ranks, in the sorted values, whose mean is the median of a resample; one rank twice if their number is odd.
struct MiddleRanks {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};

std::vector<MiddleRanks> drawn_ranks(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    Pick pick(0, count - 1);
    std::vector<MiddleRanks> ranks(kResamples);
    std::vector<std::uint32_t> drawn(count); // how often a resample has each rank
    for (MiddleRanks& middle : ranks) {
        std::ranges::fill(drawn, 0);
        for (std::size_t draw = 0; draw < count; ++draw)
            ++drawn[pick(random)];
        std::size_t rank = 0;
        std::size_t up_to_rank = drawn.front();
        const auto rank_at = [&](std::size_t place) {
            while (up_to_rank <= place)
                up_to_rank += drawn[++rank];
            return static_cast<std::uint32_t>(rank);
        };
        middle.low = rank_at((count - 1) / 2);
        middle.high = rank_at(count / 2);
    }
    return ranks;
}

// Which ranks a resample has depends on the number of values and the seed only. Most cases of a log have the same
// number of values.
const std::vector<MiddleRanks>& ranks_of_resamples(std::size_t count, std::uint64_t seed)
{
    constexpr std::size_t kMaxKept = 1000;
    thread_local std::map<std::pair<std::size_t, std::uint64_t>, std::vector<MiddleRanks>> kept;
    if (const auto found = kept.find({count, seed}); found != kept.end())
        return found->second;
    if (kept.size() == kMaxKept)
        kept.clear();
    return kept[{count, seed}] = drawn_ranks(count, seed);
}

// Medians of resamples: each draws as many rounds as there are, with replacement.
std::vector<double> resampled_medians(Rounds rounds, std::uint64_t seed)
{
    for (std::vector<double>& round : rounds)
        std::ranges::sort(round);
    std::ranges::sort(rounds); // makes the result independent of the order of the rows in a log
    std::vector<double> medians(kResamples);
    if (std::ranges::all_of(rounds, [](const std::vector<double>& round) { return round.size() == 1; })) {
        std::ranges::transform(ranks_of_resamples(rounds.size(), seed), medians.begin(),
                               [&](const MiddleRanks& middle) {
                                   const double low = rounds[middle.low].front();
                                   return rounds.size() % 2 == 1 ? low : (low + rounds[middle.high].front()) / 2;
                               });
        return medians;
    }
    std::mt19937_64 random(seed);
    Pick pick(0, rounds.size() - 1);
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
    const double place = p * static_cast<double>(values.size() - 1);
    const double whole = std::floor(place);
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(whole);
    std::ranges::nth_element(values, below); // faster than to sort them all
    const auto above = below + 1 == values.end() ? below : std::ranges::min_element(below + 1, values.end());
    return std::lerp(*below, *above, place - whole);
}

Spread spread_of(const std::vector<double>& values)
{
    require_values(values);
    return {.median = quantile(values, 0.5),
            .p99 = quantile(values, 0.99),
            .p999 = quantile(values, 0.999),
            .worst = *std::ranges::max_element(values)};
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

} // namespace nestbed
