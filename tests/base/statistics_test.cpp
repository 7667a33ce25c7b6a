// Summary statistics, against values worked out by hand.
#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <stdexcept>

namespace nestbed
{
namespace
{

TEST(Median, IsTheMiddleValueInAnyOrder)
{
    EXPECT_DOUBLE_EQ(median({7}), 7);
    EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
    EXPECT_DOUBLE_EQ(median({1, 100, 2, 3, -50}), 2);
}

TEST(Median, OfAnEvenNumberIsHalfWayBetweenTheTwoInTheMiddle)
{
    EXPECT_DOUBLE_EQ(median({4, 1}), 2.5);
    EXPECT_DOUBLE_EQ(median({1, 100, 2, 4}), 3);
}

TEST(Median, DoesNotMoveWithAnOutlier)
{
    EXPECT_DOUBLE_EQ(median({10, 11, 12, 13, 1e9}), 12);
}

TEST(MedianAbsoluteDeviation, IsTheMedianDistanceFromTheMedian)
{
    // median 2; deviations 1 1 0 0 2 4 7, in order 0 0 1 1 2 4 7
    EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}), 1);
    // median 103; deviations 2 1 0 1 97
    EXPECT_DOUBLE_EQ(median_absolute_deviation({101, 102, 103, 104, 200}), 1);
    // median 2.5; deviations 1.5 0.5 0.5 1.5
    EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 2, 3, 4}), 1);
}

TEST(MedianAbsoluteDeviation, OfEqualValuesOrOfOneIsZero)
{
    EXPECT_DOUBLE_EQ(median_absolute_deviation({5, 5, 5, 5}), 0);
    EXPECT_DOUBLE_EQ(median_absolute_deviation({5}), 0);
}

// R: quantile(c(15, 20, 35, 40, 50), c(.05, .25, .4, .5, .75, .9), type = 7)
TEST(Quantile, IsHyndmanAndFansSeventh)
{
    const std::vector<double> values{50, 15, 40, 20, 35};
    EXPECT_DOUBLE_EQ(quantile(values, 0.05), 16);
    EXPECT_DOUBLE_EQ(quantile(values, 0.25), 20);
    EXPECT_DOUBLE_EQ(quantile(values, 0.4), 29);
    EXPECT_DOUBLE_EQ(quantile(values, 0.5), 35);
    EXPECT_DOUBLE_EQ(quantile(values, 0.75), 40);
    EXPECT_DOUBLE_EQ(quantile(values, 0.9), 46);
}

// R: quantile(1:10, c(.25, .75), type = 7) is 3.25 7.75; type 6 would give 2.75 8.25.
TEST(Quantile, InterpolatesBetweenOrderStatistics)
{
    const std::vector<double> values{10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    EXPECT_DOUBLE_EQ(quantile(values, 0.25), 3.25);
    EXPECT_DOUBLE_EQ(quantile(values, 0.75), 7.75);
}

TEST(Quantile, ZeroAndOneAreTheExtremes)
{
    EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0), 1);
    EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 1), 3);
    EXPECT_DOUBLE_EQ(quantile({4}, 0.3), 4);
}

TEST(Quantile, OutsideZeroToOneThereIsNone)
{
    EXPECT_THROW(quantile({1, 2}, -0.01), std::invalid_argument);
    EXPECT_THROW(quantile({1, 2}, 1.01), std::invalid_argument);
    EXPECT_THROW(quantile({1, 2}, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
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

TEST(BootstrapMedian, IsTheSameForTheSameSeedAndAnotherForAnother)
{
    const std::vector<double> values = normal_values(40);
    const Interval once = bootstrap_median(values, 1);
    const Interval again = bootstrap_median(values, 1);
    const Interval other = bootstrap_median(values, 2);
    EXPECT_EQ(once.low, again.low);
    EXPECT_EQ(once.high, again.high);
    EXPECT_TRUE(once.low != other.low || once.high != other.high);
}

TEST(BootstrapMedian, ContainsTheMedianAndLiesWithinTheValues)
{
    for (const std::size_t count : {2U, 3U, 10U, 31U, 200U}) {
        const std::vector<double> values = normal_values(count);
        const Interval interval = bootstrap_median(values, 1);
        EXPECT_LE(interval.low, median(values)) << count;
        EXPECT_GE(interval.high, median(values)) << count;
        EXPECT_GE(interval.low, quantile(values, 0)) << count;
        EXPECT_LE(interval.high, quantile(values, 1)) << count;
    }
}

// The median of n normal values has a standard deviation of about 1.2533 sigma / sqrt(n): for sigma 10 and n
// 400, 95 % of it lie within 2 * 1.96 * 0.627 = 2.46.
TEST(BootstrapMedian, IsAsWideAsTheMediansOwnDistribution)
{
    const Interval interval = bootstrap_median(normal_values(400), 1);
    EXPECT_NEAR(interval.high - interval.low, 2.46, 1.0);
}

TEST(BootstrapMedian, OfValuesWithoutSpreadIsAPoint)
{
    const Interval one = bootstrap_median({5}, 1);
    EXPECT_DOUBLE_EQ(one.low, 5);
    EXPECT_DOUBLE_EQ(one.high, 5);
    const Interval equal = bootstrap_median({3, 3, 3}, 1);
    EXPECT_DOUBLE_EQ(equal.low, 3);
    EXPECT_DOUBLE_EQ(equal.high, 3);
}

// The lady tasting tea: of eight cups four are of the one kind.
TEST(FisherExactFewer, IsTheTailOfTheHypergeometricDistribution)
{
    EXPECT_NEAR(fisher_exact_fewer(0, 4, 4, 4), 1.0 / 70, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(1, 4, 3, 4), 17.0 / 70, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(4, 4, 0, 4), 1, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(0, 1, 1, 2), 2.0 / 3, 1e-12); // sides of other sizes
    EXPECT_NEAR(fisher_exact_fewer(0, 5, 0, 3), 1, 1e-12);
}

TEST(Statistics, OfNoValuesAreRefused)
{
    EXPECT_THROW(median({}), std::invalid_argument);
    EXPECT_THROW(median_absolute_deviation({}), std::invalid_argument);
    EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
    EXPECT_THROW(bootstrap_median({}, 1), std::invalid_argument);
}

} // namespace
} // namespace nestbed
