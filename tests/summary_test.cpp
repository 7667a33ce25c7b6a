// The table at the end of a run, from samples made by hand.
#include "../src/core/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Sample timed(std::optional<double> gpu_us, double wall_us, std::uint64_t launches = 0)
{
    Sample sample{.gpu_us = gpu_us, .wall_us = wall_us, .launches = LaunchCounts{}};
    sample.launches->attempted = launches;
    return sample;
}

CaseResult result(const std::string& strategy, std::vector<Sample> samples)
{
    return {.point = {.strategy = strategy, .elements = 2048 * 512, .grid = 2048, .block = 512},
            .samples = std::move(samples)};
}

std::string table(const std::vector<CaseResult>& results)
{
    RunFacts run{.schedule = "fifo", .floor_us = 4};
    run.device.name = "Model 1";
    return summary_table({.experiment = "some", .title = "A title"}, results, {{BackendKind::cpu, run}});
}

TEST(SummaryTable, ShowsMedianSpreadLaunchesAndTheRatioToNeighbored)
{
    const std::string text = table({result("neighbored", {timed(20, 30), timed(22, 32), timed(21, 31)}),
                                    result("nosync", {timed(8400, 8500, 16384), timed(8400, 8500, 16384)})});
    EXPECT_THAT(text, AllOf(HasSubstr("A title"), HasSubstr("Model 1"), HasSubstr("grid 2048, block 512"),
                            HasSubstr("clock gpu")));
    EXPECT_THAT(text, ContainsRegex("neighbored +21.0 us +4.8% +20.0 us - 22.0 us +0 +1.00  ok"));
    EXPECT_THAT(text, ContainsRegex("nosync +8.40 ms +0.0% +8.40 ms - 8.40 ms +16384 +400  ok"));
}

TEST(SummaryTable, FitsATerminalOf80ColumnsWhenTwoAxesVary)
{
    std::vector<CaseResult> results;
    for (const std::uint32_t depth : {1U, 8U})
        for (const std::uint32_t grid : {2048U, 65536U}) {
            results.push_back(result("nosync", {timed(681190.5, 700000, 524288)}));
            results.back().point.depth = depth;
            results.back().point.grid = grid;
            results.back().point.elements = std::uint64_t{grid} * 512;
        }
    std::istringstream lines(table(results));
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
}

TEST(SummaryTable, NeverSetsTimesOfDifferentClocksInRatio)
{
    const std::string text = table({result("neighbored", {timed(20, 30)}), result("host", {timed({}, 200)})});
    EXPECT_THAT(text, ContainsRegex("neighbored +gpu +20.0 us"));
    EXPECT_THAT(text, ContainsRegex("host +wall +200 us +0.0% +200 us - 200 us +0 +ok"));
}

TEST(SummaryTable, ShowsWhatFailedInPlaceOfATime)
{
    Sample wrong = timed({}, 0);
    wrong.wall_us.reset();
    wrong.status = Status::wrong;
    const std::vector<CaseResult> results{result("nosync", {wrong, wrong, timed({}, 5)}),
                                          result("reduce2", {wrong, wrong})};
    const std::string text = table(results);
    EXPECT_THAT(text, ContainsRegex("nosync +5.00 us .*2 of 3 wrong"));
    EXPECT_THAT(text, Not(ContainsRegex("reduce2 .* us .*wrong")));
    EXPECT_EQ(bad_samples(results), 4U);
}

} // namespace
} // namespace nestbed
