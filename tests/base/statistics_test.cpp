// Summary statistics, compared with values calculated by hand.
#include "base/statistics.hpp"

#include "support/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <tuple>

namespace nestbed
{
namespace
{

TEST(Median, IsTheMiddleValueInAnyOrderOrHalfWayBetweenTwo)
{
    EXPECT_DOUBLE_EQ(median({7}), 7);
    EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
    EXPECT_DOUBLE_EQ(median({10, 11, 12, 13, 1e9}), 12);
    EXPECT_DOUBLE_EQ(median({4, 1}), 2.5);
    EXPECT_DOUBLE_EQ(median({1, 100, 2, 4}), 3);
}

TEST(SpreadOf, HasTheQuantilesOfTheSortedValuesAndTheLargest)
{
    // Of 0, 2, 4, ... 2000 the quantile p is 2000 p.
    std::vector<double> values(1001);
    std::ranges::generate(values, [value = -2.0]() mutable { return value += 2; });
    std::ranges::shuffle(values, std::mt19937(1));
    const Spread spread = spread_of(values);
    EXPECT_DOUBLE_EQ(spread.median, 1000);
    EXPECT_DOUBLE_EQ(spread.p99, 1980);
    EXPECT_DOUBLE_EQ(spread.p999, 1998);
    EXPECT_DOUBLE_EQ(spread.worst, 2000);
    // Against a sort of values with a long tail, by the definition: between order statistics.
    std::mt19937_64 draw(7);
    for (const std::size_t count : {1U, 2U, 3U, 99U, 100U, 101U, 4000U}) {
        std::vector<double> long_tail(count);
        std::ranges::generate(long_tail, [&] { return std::exp(std::normal_distribution<>(5, 2)(draw)); });
        const Spread found = spread_of(long_tail);
        std::ranges::sort(long_tail);
        const auto by_sorting = [&](double p) {
            const double place = p * static_cast<double>(count - 1);
            const auto below = static_cast<std::size_t>(place);
            const double share = place - static_cast<double>(below);
            return long_tail[below] * (1 - share) + long_tail[std::min(below + 1, count - 1)] * share;
        };
        EXPECT_NEAR(found.median, by_sorting(0.5), 1e-9 * found.median);
        EXPECT_NEAR(found.p99, by_sorting(0.99), 1e-9 * found.p99);
        EXPECT_NEAR(found.p999, by_sorting(0.999), 1e-9 * found.p999);
        EXPECT_EQ(found.worst, long_tail.back());
    }
    EXPECT_THROW(spread_of({}), std::invalid_argument);
}

TEST(MedianAbsoluteDeviation, IsTheMedianDistanceFromTheMedian)
{
    // median 2; deviations 1 1 0 0 2 4 7, sorted 0 0 1 1 2 4 7
    EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}), 1);
    // median 103; deviations 2 1 0 1 97
    EXPECT_DOUBLE_EQ(median_absolute_deviation({101, 102, 103, 104, 200}), 1);
    // median 2.5; deviations 1.5 0.5 0.5 1.5
    EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 2, 3, 4}), 1);
    EXPECT_DOUBLE_EQ(median_absolute_deviation({5, 5, 5, 5}), 0);
    EXPECT_DOUBLE_EQ(median_absolute_deviation({5}), 0);
}

// R: quantile(c(15, 20, 35, 40, 50), c(.05, .25, .4, .5, .75, .9), type = 7), and quantile(1:10, c(.25, .75), type = 7),
// which type 6 would make 2.75 and 8.25.
TEST(Quantile, IsHyndmanAndFansSeventh)
{
    const std::vector<double> five{50, 15, 40, 20, 35};
    const std::vector<double> ten{10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    for (const auto& [values, p, expected] :
         {std::tuple(five, 0.0, 15.0), std::tuple(five, 0.05, 16.0), std::tuple(five, 0.25, 20.0),
          std::tuple(five, 0.4, 29.0), std::tuple(five, 0.5, 35.0), std::tuple(five, 0.75, 40.0),
          std::tuple(five, 0.9, 46.0), std::tuple(five, 1.0, 50.0), std::tuple(ten, 0.25, 3.25),
          std::tuple(ten, 0.75, 7.75), std::tuple(std::vector<double>{4}, 0.3, 4.0)})
        EXPECT_DOUBLE_EQ(quantile(values, p), expected) << p;
    for (const double outside : {-0.01, 1.01, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(quantile({1, 2}, outside), std::invalid_argument);
}

std::vector<double> normal_values(std::size_t count)
{
    std::mt19937_64 random(4711);
    std::normal_distribution<double> draw(100, 10);
    std::vector<double> values(count);
    for (double& value : values)
        value = draw(random);
    return values;
}

TEST(EstimateMedian, HasTheSameIntervalInAnyOrder)
{
    std::vector<double> values = normal_values(40);
    const Estimate once = estimate_median(values);
    EXPECT_EQ(once.value, median(values));
    std::ranges::sort(values);
    const Estimate again = estimate_median(values);
    EXPECT_EQ(once.interval.low, again.interval.low);
    EXPECT_EQ(once.interval.high, again.interval.high);
}

TEST(EstimateMedian, ContainsTheMedianAndLiesWithinTheValues)
{
    for (const std::size_t count : {2U, 3U, 10U, 31U, 200U}) {
        const std::vector<double> values = normal_values(count);
        const Interval interval = estimate_median(values).interval;
        EXPECT_LE(interval.low, median(values)) << count;
        EXPECT_GE(interval.high, median(values)) << count;
        EXPECT_GE(interval.low, quantile(values, 0)) << count;
        EXPECT_LE(interval.high, quantile(values, 1)) << count;
    }
}

// The median of n normal values has a standard deviation of about 1.2533 sigma / sqrt(n). For sigma 10 and n 400, 95
// % of the medians lie within an interval of width 2 * 1.96 * 0.627 = 2.46.
TEST(EstimateMedian, IsAsWideAsTheMediansOwnDistribution)
{
    const Interval interval = estimate_median(normal_values(400)).interval;
    EXPECT_NEAR(interval.high - interval.low, 2.46, 1.0);
}

TEST(EstimateMedian, OfValuesWithoutSpreadIsAPoint)
{
    for (const auto& [value, interval] : {estimate_median({5}), estimate_median({5, 5, 5})}) {
        EXPECT_DOUBLE_EQ(value, 5);
        EXPECT_DOUBLE_EQ(interval.low, 5);
        EXPECT_DOUBLE_EQ(interval.high, 5);
    }
}

double width(const Estimate& estimate)
{
    return estimate.interval.high - estimate.interval.low;
}

// The variance of the logarithm of a ratio of two medians is twice that of one median. If both sides were drawn from
// one seed, they would be identical and the ratio would always be 1.
TEST(EstimateRatio, DrawsItsSidesIndependently)
{
    const std::vector<double> values = normal_values(400);
    const Estimate ratio = estimate_ratio(values, values);
    EXPECT_EQ(ratio.value, 1);
    const double one = width(estimate_median(values)) / median(values);
    EXPECT_NEAR(width(ratio) / one, std::sqrt(2), 0.2);
}

TEST(EstimateRatio, IsOfTheMedians)
{
    EXPECT_DOUBLE_EQ(estimate_ratio({55}, {10, 12}).value, 5);
    const Interval interval = estimate_ratio({55}, {10, 12}).interval;
    EXPECT_DOUBLE_EQ(interval.low, 55.0 / 12);
    EXPECT_DOUBLE_EQ(interval.high, 5.5);
}

TEST(EstimateRatio, ToWhatIsNotAboveZeroIsNone)
{
    for (const double below : {0.0, -1.0}) {
        const auto [value, interval] = estimate_ratio({5}, {below});
        EXPECT_TRUE(std::isnan(value) && std::isnan(interval.low) && std::isnan(interval.high));
    }
    // Some of the 2000 resamples contain only zeros.
    const auto [value, interval] = estimate_ratio({0, 0, 1}, {0, 1, 1});
    EXPECT_EQ(value, 0);
    EXPECT_TRUE(std::isnan(interval.low) && std::isnan(interval.high));
}

TEST(Estimate, IsToTheSmallestMedianAndOverANumber)
{
    const Rounds five = rounds_of_one({5, 5});
    EXPECT_DOUBLE_EQ(estimate({{.above = five, .below = {rounds_of_one({4}), rounds_of_one({2, 2}), five}}}).value,
                     2.5);
    EXPECT_DOUBLE_EQ(estimate({{.above = five, .below = {rounds_of_one({2})}, .per = 10}}).interval.low, 0.25);
    EXPECT_DOUBLE_EQ(estimate({{.above = five, .per = 10}}).value, 0.5);
}

TEST(Estimate, IsMadeOfSeveral)
{
    const auto over = [](Over how) {
        return estimate({{.above = {{3}}}, {.above = {{20}}}, {.above = {{18}}, .below = {{{2}}}}}, how).value;
    };
    EXPECT_DOUBLE_EQ(over(Over::least), 3);
    EXPECT_DOUBLE_EQ(over(Over::greatest), 20);
    EXPECT_DOUBLE_EQ(over(Over::geometric_mean), std::cbrt(3.0 * 20 * 9));
    EXPECT_TRUE(std::isnan(estimate({{.above = {{-3}}}, {.above = {{20}}}}, Over::geometric_mean).value));
}

// The standard deviation of the mean of n independent numbers is smaller by the factor sqrt(n) than that of one
// number.
TEST(Estimate, DrawsItsPartsIndependently)
{
    const Part part{.above = rounds_of_one(normal_values(400)), .below = {rounds_of_one(normal_values(400))}};
    const double one = width(estimate({part}));
    EXPECT_NEAR(width(estimate(std::vector(16, part), Over::geometric_mean)), one / 4, one / 16);
}

TEST(Estimate, DrawsWholeRounds)
{
    const Estimate one_round = estimate({{.above = {{1, 2, 3, 4}}}});
    EXPECT_EQ(one_round.value, 2.5);
    EXPECT_EQ(width(one_round), 0);
    const Estimate two = estimate({{.above = {{1, 1, 1, 5}, {9, 9}}}});
    EXPECT_EQ(two.value, 3); // the median of all values in both rounds
    EXPECT_EQ(two.interval.low, 1);
    EXPECT_EQ(two.interval.high, 9);
}

TEST(Statistics, OfNoValuesAreRefused)
{
    EXPECT_THROW(median({}), std::invalid_argument);
    EXPECT_THROW(median_absolute_deviation({}), std::invalid_argument);
    EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
    EXPECT_THROW(estimate_median({}), std::invalid_argument);
    EXPECT_THROW(estimate_ratio({1}, {}), std::invalid_argument);
    EXPECT_THROW(estimate({}), std::invalid_argument);
}

// A round of two equal values has the median of the value, but is drawn as a round.
TEST(Estimate, DrawsSingleValuesAsItDrawsRounds)
{
    for (const std::size_t count : {1U, 2U, 5U, 6U, 31U, 100U}) {
        std::vector<double> values;
        Rounds twice;
        for (std::size_t index = 0; index < count; ++index) {
            values.push_back(static_cast<double>((index * 37 + 11) % 101) + 0.5);
            twice.push_back({values.back(), values.back()});
        }
        const Estimate single = estimate_median(values);
        const Estimate rounds = estimate({{.above = twice}});
        EXPECT_EQ(single.value, rounds.value) << count;
        EXPECT_EQ(single.interval.low, rounds.interval.low) << count;
        EXPECT_EQ(single.interval.high, rounds.interval.high) << count;
    }
}

// A log has many cases with the same number of samples, which have the same draws.
TEST(Estimate, OfManyCasesDoesNotDrawForEach)
{
    std::vector<double> values(5000);
    std::ranges::generate(values, std::mt19937(1));
    const double first = cpu_seconds([&] { estimate_ratio(values, values); }, 1);
    const double later = cpu_seconds([&] { estimate_ratio(values, values); });
    EXPECT_LT(later, first / 4);
}

// The documents say intervals of our logs: the same values must give the same interval for ever.
TEST(Estimate, HasTheSameResamplesAsInTheDocuments)
{
    std::vector<double> values;
    for (int value = 0; value < 30; ++value)
        values.push_back(1000 + (value * 37 + 11) % 101);
    const Rounds above = rounds_of_one(values);
    const Rounds below{{1000, 1100}, {1010, 1090, 1120}, {1030}};
    const Interval alone = estimate_median(values).interval;
    const Interval ratio =
        estimate({{.above = above, .below = {below}}, {.above = above}}, Over::geometric_mean).interval;
    EXPECT_DOUBLE_EQ(alone.low, 1032.5);
    EXPECT_DOUBLE_EQ(alone.high, 1066);
    EXPECT_DOUBLE_EQ(ratio.low, 31.484494509129618);
    EXPECT_DOUBLE_EQ(ratio.high, 32.958464939100914);
}

} // namespace
} // namespace nestbed
