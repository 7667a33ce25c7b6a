// The time left of a run: from estimates, corrected by what was measured.
#include "run/time_left.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

// 10 us for each root block, and 1 us to make a number of the input.
constexpr CaseTimes kEstimates{.sample_us = [](const Case& point) { return 10.0 * point.grid; },
                               .input_us = [](const Case& point) { return static_cast<double>(point.elements); }};

Case case_of_grid(const std::string& strategy, std::uint32_t grid, std::uint64_t elements = 0)
{
    return {.strategy = strategy, .elements = elements, .grid = grid, .block = 8};
}

// Four samples and one warm-up of each case.
class TimeLeftOf : public testing::Test
{
  protected:
    void plan_cases(const std::vector<std::vector<Case>>& groups)
    {
        for (const std::vector<Case>& cases : groups)
            plan.groups.push_back({.cases = cases});
        plan.repeat[BackendKind::cpu] = exactly(4);
        plan.warmup[BackendKind::cpu] = 1;
        results = cases_of(plan, {{BackendKind::cpu, RunFacts{}}});
    }
    void sampled(TimeLeft& left, std::size_t index, double us)
    {
        left.took(index, us);
        results[index].add(static_cast<unsigned>(results[index].samples.size()), {.wall_us = us}, exactly(4));
    }

    Plan plan;
    std::vector<CaseResult> results;
};

TEST_F(TimeLeftOf, IsAnEstimateBeforeTheFirstSample)
{
    plan_cases(
        {{case_of_grid("neighbored", 1, 3), case_of_grid("nosync", 2, 3)}, {case_of_grid("neighbored", 4, 1000)}});
    EXPECT_DOUBLE_EQ(TimeLeft(plan, results, kEstimates).us(), 5 * (10 + 20) + 3 + 5 * 40 + 1000);
}

TEST_F(TimeLeftOf, FollowsWhatTheCaseItsStrategyAndItsBackendTook)
{
    plan_cases({{case_of_grid("neighbored", 1), case_of_grid("nosync", 1)}, {case_of_grid("neighbored", 100)}});
    TimeLeft left(plan, results, kEstimates);
    left.took(0, 30); // its warm-up: three times the estimate
    EXPECT_DOUBLE_EQ(left.us(), 4 * 30 + 3 * (5 * 10 + 5 * 1000));
    left.took(1, 5); // half of the estimate; only of this strategy
    EXPECT_DOUBLE_EQ(left.us(), 4 * 30 + 4 * 5 + 5 * 3000);
    sampled(left, 0, 50);
    EXPECT_DOUBLE_EQ(left.us(), 3 * 40 + 4 * 5 + 5 * 4000);
    left.took(2, 2000); // the larger case was estimated better: it has its own time now
    EXPECT_DOUBLE_EQ(left.us(), 3 * 40 + 4 * 5 + 4 * 2000);
}

TEST_F(TimeLeftOf, DividesTheFirstTimeBetweenTheInputAndTheSample)
{
    plan_cases(
        {{case_of_grid("neighbored", 1, 90), case_of_grid("nosync", 1, 90)}, {case_of_grid("neighbored", 1, 900)}});
    TimeLeft left(plan, results, kEstimates);
    left.took(0, 200); // the estimate is 90 + 10
    EXPECT_DOUBLE_EQ(left.us(), 4 * 20 + 5 * 20 + 1800 + 5 * 20);
    left.took(1, 20); // the input exists
    EXPECT_DOUBLE_EQ(left.us(), 4 * 20 + 4 * 20 + 1800 + 5 * 20);
}

TEST_F(TimeLeftOf, IsNothingOfACompleteCase)
{
    plan_cases({{case_of_grid("neighbored", 1, 90)}});
    TimeLeft left(plan, results, kEstimates);
    for (int sample = 0; sample < 4; ++sample)
        sampled(left, 0, 100);
    EXPECT_EQ(left.us(), 0);
}

// A resumed run begins with the times of its log, a run that overwrites a log with those of that log.
TEST_F(TimeLeftOf, BeginsWithTheTimesOfEarlierRows)
{
    plan_cases({{case_of_grid("neighbored", 1), case_of_grid("nosync", 1)}});
    std::vector<CaseResult> earlier = results;
    for (unsigned sample = 0; sample < 2; ++sample)
        earlier[0].add(sample, {.wall_us = 1000}, exactly(4));
    constexpr double kOne = 1000 + kSampleOverheadUs;
    EXPECT_DOUBLE_EQ(TimeLeft(plan, results, kEstimates, earlier).us(), 10 * kOne);
    results = earlier;
    EXPECT_DOUBLE_EQ(TimeLeft(plan, results, kEstimates).us(), (3 + 5) * kOne);
}

} // namespace
} // namespace nestbed
