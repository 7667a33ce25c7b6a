// Two logs case by case: what changed, and what only chance may have done.
#include "inspect/compare.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "inspect/fisher_exact.hpp"
#include "support/support.hpp"

#include <fmt/format.h>
#include <random>

namespace nestbed
{
namespace
{

constexpr const char* kHeader = "strategy,backend,grid,gpu_us,wall_us,status\r\n";

ParsedLog log_of(const std::string& text, const std::string& path = "log.csv")
{
    return parse_log(path, text);
}

// Rows of one case on a GPU, one per time, all with status ok.
std::string rows(const std::string& strategy, const std::vector<double>& times)
{
    std::string text;
    for (const double time : times)
        text += fmt::format("{},cuda,64,{},{},ok\r\n", strategy, time, time + 5);
    return text;
}

std::string not_ok(const std::string& strategy, int count, const std::string& status)
{
    std::string text;
    for (int row = 0; row < count; ++row)
        text += fmt::format("{},cuda,64,,,{}\r\n", strategy, status);
    return text;
}

Comparison compared(const std::string& before, const std::string& after)
{
    return compare_logs(log_of(kHeader + before, "a.csv"), log_of(kHeader + after, "b.csv"));
}

// Compares two logs that contain only one case.
ComparedCase one_case(const std::string& before, const std::string& after)
{
    const Comparison comparison = compared(before, after);
    EXPECT_EQ(comparison.cases.size(), 1);
    return comparison.cases.at(0);
}

std::vector<double> noise(double middle, std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(middle, 0.02 * middle);
    std::vector<double> times(count);
    for (double& time : times)
        time = normal(random);
    return times;
}

TEST(Compare, IsTheRatioOfTheMediansAndItsInterval)
{
    // Medians 12 and 15. A's values lie in 10 to 14 and B's in 14.9 to 15.1, so every resampled ratio lies in 14.9 /
    // 14 to 15.1 / 10.
    const ComparedCase one = one_case(rows("s", {10, 11, 12, 13, 14}), rows("s", {15.1, 15, 15, 14.9, 15}));
    EXPECT_DOUBLE_EQ(*one.before.median_us, 12);
    EXPECT_DOUBLE_EQ(*one.after.median_us, 15);
    EXPECT_DOUBLE_EQ(*one.ratio, 1.25);
    EXPECT_GE(one.interval->low, 14.9 / 14);
    EXPECT_LE(one.interval->high, 15.1 / 10);
    EXPECT_EQ(one.change, Change::slower);
    EXPECT_EQ(one.clock, "gpu");
    EXPECT_EQ(one_case(rows("s", {15.1, 15, 15, 14.9, 15}), rows("s", {10, 11, 12, 13, 14})).change, Change::faster);
}

TEST(Compare, TellsAConstantFromAnotherByNothing)
{
    const ComparedCase one = one_case(rows("s", {8, 8, 8, 8, 8}), rows("s", {9, 9, 9, 9, 9}));
    EXPECT_DOUBLE_EQ(one.interval->low, 1.125);
    EXPECT_DOUBLE_EQ(one.interval->high, 1.125);
    EXPECT_EQ(one.change, Change::slower);
    EXPECT_EQ(one_case(rows("s", {8, 8, 8, 8, 8}), rows("s", {8, 8, 8, 8, 8})).change, Change::same);
}

TEST(Compare, FindsTenPercentAndNothingInALogThatIsTheSame)
{
    const std::string before = rows("s", noise(100, 30, 1));
    const ComparedCase found = one_case(before, rows("s", noise(110, 30, 2)));
    EXPECT_EQ(found.change, Change::slower);
    EXPECT_TRUE(is_regression(found, 0.05));
    const ComparedCase again = one_case(before, before);
    EXPECT_EQ(again.change, Change::same);
    EXPECT_DOUBLE_EQ(*again.ratio, 1);
    EXPECT_FALSE(is_regression(again, 0));
    // Both sides are resampled independently: each median of 30 values has a standard deviation of 0.5 %.
    EXPECT_LT(again.interval->low, 0.995);
    EXPECT_GT(again.interval->high, 1.005);
}

// Checks the header's claim about false positives, with the smallest number of samples that is tested and with a
// usual number.
TEST(Compare, TellsApartByChanceNoMoreThanItSays)
{
    for (const std::size_t samples : {kFewestSamples, std::size_t{30}}) {
        constexpr std::size_t kCases = 200;
        std::string before;
        std::string after;
        for (std::size_t one = 0; one < kCases; ++one) {
            before += rows(fmt::format("s{}", one), noise(100, samples, 2 * one + 1));
            after += rows(fmt::format("s{}", one), noise(100, samples, 2 * one + 2));
        }
        const Comparison comparison = compared(before, after);
        EXPECT_EQ(tested_cases(comparison), kCases);
        EXPECT_DOUBLE_EQ(chance_findings(comparison), 10);
        std::size_t told_apart = 0;
        std::size_t regressions = 0;
        for (const ComparedCase& one : comparison.cases) {
            told_apart += one.change == Change::same ? 0 : 1;
            regressions += is_regression(one, 0.05) ? 1 : 0;
        }
        EXPECT_LE(told_apart, 10) << samples;
        EXPECT_EQ(regressions, 0) << samples;
    }
}

TEST(Compare, TestsNoFewerThanFiveSamples)
{
    const ComparedCase one = one_case(rows("s", {10, 10, 10, 10}), rows("s", {20, 20, 20, 20, 20}));
    EXPECT_EQ(one.change, Change::too_few);
    EXPECT_DOUBLE_EQ(*one.ratio, 2);
    EXPECT_EQ(one_case(rows("s", {10, 10, 10, 10, 10}), rows("s", {20})).change, Change::too_few);
    EXPECT_EQ(one_case(rows("s", {10, 10, 10, 10, 10}), rows("s", {20, 20, 20, 20, 20})).change, Change::slower);
}

// A case with too few samples for a test still counts as a regression if it looks slower.
TEST(Compare, SuspectsWhatIsSlowerByTooFewSamples)
{
    const ComparedCase hundredfold = one_case(rows("s", {10, 11, 12}), rows("s", {1000, 1100, 1200}));
    EXPECT_EQ(hundredfold.change, Change::too_few);
    EXPECT_TRUE(is_regression(hundredfold, 0.05));
    const ComparedCase one = one_case(rows("s", {8, 8, 8}), rows("s", {9, 9, 9}));
    EXPECT_TRUE(is_regression(one, 0.12));
    EXPECT_FALSE(is_regression(one, 0.125)); // above the tolerance, not at it
    EXPECT_FALSE(is_regression(one_case(rows("s", {9, 9, 9}), rows("s", {8, 8, 8})), 0));
}

TEST(Compare, SeesWhatIsNoLongerRight)
{
    const std::string right = rows("s", {10, 10, 10, 10, 10});
    for (const char* status : {"wrong", "launch_failed", "count_mismatch", "timeout", "crashed", "unsupported"}) {
        const ComparedCase fails = one_case(right, not_ok("s", 5, status));
        EXPECT_EQ(fails.change, Change::fails);
        EXPECT_EQ(fails.after.status, status);
        EXPECT_TRUE(is_regression(fails, 1000));
        EXPECT_FALSE(fails.ratio);
        EXPECT_DOUBLE_EQ(*fails.before.median_us, 10);
        const ComparedCase fixed = one_case(not_ok("s", 5, status), right);
        EXPECT_EQ(fixed.change, Change::fixed);
        EXPECT_FALSE(is_regression(fixed, 0));
    }
    // One wrong row of many is enough if there was none before.
    const ComparedCase once = one_case(right + right, right + not_ok("s", 1, "wrong"));
    EXPECT_EQ(once.change, Change::fails);
    EXPECT_DOUBLE_EQ(*once.ratio, 1);
    EXPECT_EQ(once.after.not_ok(), 1);
}

TEST(Compare, LeavesKnownWrongnessAsItIs)
{
    for (const char* status : {"wrong", "unsupported"}) {
        const ComparedCase one = one_case(not_ok("s", 5, status), not_ok("s", 5, "wrong"));
        EXPECT_EQ(one.change, Change::no_times);
        EXPECT_EQ(one.clock, "");
        EXPECT_FALSE(is_regression(one, 0));
    }
}

// 2 of 50 and 0 of 50 can have the same probability (p = 0.25); 25 of 50 and 10 of 50 cannot (p = 0.002).
TEST(Compare, LeavesARaceToChance)
{
    const auto race = [](int ok) { return rows("s", std::vector<double>(ok, 10)) + not_ok("s", 50 - ok, "wrong"); };
    EXPECT_EQ(one_case(race(2), race(0)).change, Change::no_times);
    EXPECT_EQ(one_case(race(0), race(2)).change, Change::no_times);
    EXPECT_EQ(one_case(race(49), race(47)).change, Change::same);
    EXPECT_EQ(one_case(race(49), race(50)).change, Change::same);
    EXPECT_EQ(one_case(race(25), race(10)).change, Change::fails);
    EXPECT_EQ(one_case(race(10), race(25)).change, Change::fixed);
    EXPECT_EQ(one_case(race(0), race(25)).change, Change::fixed);
    EXPECT_EQ(one_case(race(2), race(1)).change, Change::too_few);
}

TEST(Compare, HasNoTimesOfWhatIsUntimed)
{
    const std::string untimed = "s,cuda,64,,,ok\r\n";
    const ComparedCase one = one_case(untimed, untimed);
    EXPECT_EQ(one.change, Change::no_times);
    EXPECT_FALSE(is_regression(one, 0));
}

TEST(Compare, LetsNoCasePassWhoseTimesAreGone)
{
    const std::string timed = rows("s", {10, 10, 10, 10, 10});
    const std::string untimed = "s,cuda,64,,,ok\r\n";
    const std::string by_gpu = "s,cuda,64,10,,ok\r\n";
    const std::string by_wall = "s,cuda,64,,15,ok\r\n";
    for (const auto& [before, after] : {std::pair(timed, untimed), std::pair(untimed, timed),
                                        std::pair(timed, timed + untimed), std::pair(by_gpu, by_wall)}) {
        const ComparedCase one = one_case(before, after);
        EXPECT_EQ(one.change, Change::untimed) << before << after;
        EXPECT_TRUE(is_regression(one, 1000));
    }
    // Rows that are not ok have no times anyway. Their status alone decides whether the case fails.
    EXPECT_EQ(one_case(timed, not_ok("s", 5, "wrong")).change, Change::fails);
    EXPECT_EQ(one_case(not_ok("s", 5, "wrong"), untimed).change, Change::fixed);
}

TEST(Compare, GoesByTheClockThatAllRowsHave)
{
    const std::string by_gpu = rows("s", {10, 10, 10, 10, 10}); // 15 us by the wall clock
    std::string by_wall;
    for (int row = 0; row < 5; ++row)
        by_wall += "s,cuda,64,,30,ok\r\n";
    for (const std::string& after : {by_wall, by_wall + by_gpu.substr(0, by_gpu.find('\n') + 1)}) {
        const ComparedCase one = one_case(by_gpu, after);
        EXPECT_EQ(one.clock, "wall");
        EXPECT_DOUBLE_EQ(*one.ratio, 2);
    }
    // A row that is not ok has no time and needs none.
    EXPECT_EQ(one_case(by_gpu + not_ok("s", 1, "wrong"), by_gpu + not_ok("s", 1, "wrong")).clock, "gpu");
    // A log that has only times of the host's clock.
    const ParsedLog wall = log_of("strategy,backend,grid,wall_us,status\r\ns,cuda,64,15,ok\r\n");
    EXPECT_EQ(compare_logs(log_of(kHeader + by_gpu), wall).cases.front().clock, "wall");
}

TEST(Compare, SaysHowTheTimesOfAGpuWereTaken)
{
    using Both = std::pair<std::string, std::string>;
    const auto log = [](const char* first, const char* rest) {
        std::string text = "strategy,backend,grid,gpu_us,wall_us,submit,status\r\n";
        for (const char* submit : {first, rest, rest, rest, rest})
            text += fmt::format("s,cuda,64,10,15,{},ok\r\n", submit);
        return log_of(text + "s,cuda,64,,,,wrong\r\n");
    };
    const ParsedLog before_there_was_any =
        log_of(kHeader + rows("s", {10, 10, 10, 10, 10}) + not_ok("s", 1, "wrong"));
    const auto submits = [](const ParsedLog& before, const ParsedLog& after) {
        const ComparedCase one = compare_logs(before, after).cases.at(0);
        return Both(one.before.submit, one.after.submit);
    };
    EXPECT_EQ(submits(log("held", "held"), log("open", "open")), Both("held", "open"));
    EXPECT_EQ(submits(log("open", "held"), log("held", "held")), Both("open", "held"));
    EXPECT_EQ(submits(before_there_was_any, log("held", "held")), Both("open", "held"));
}

TEST(Compare, NeverSetsTheExecutorBesideAGpu)
{
    const std::string cpu = "s,cpu,64,,15,ok\r\n";
    EXPECT_THAT(text_of<UsageError>([&] { compared(rows("s", {10}), cpu); }), HasSubstr("have no case in common"));
    const std::string header = "key,strategy,backend,wall_us,status\r\n";
    EXPECT_THAT(text_of<UsageError>([&] {
                    compare_logs(log_of(header + "1,s,cuda,10,ok\r\n"), log_of(header + "1,s,cpu,10,ok\r\n"));
                }),
                HasSubstr("have no case in common"));
}

TEST(Compare, CountsWhatOneLogAloneHas)
{
    const Comparison comparison = compared(rows("b", {1}) + rows("a", {1}), rows("c", {1}) + rows("b", {1}));
    ASSERT_EQ(comparison.cases.size(), 3);
    EXPECT_EQ(comparison.cases[0].change, Change::missing);
    EXPECT_EQ(comparison.cases[0].cells.front(), "a");
    EXPECT_TRUE(is_regression(comparison.cases[0], 1));
    EXPECT_EQ(comparison.cases[1].change, Change::too_few);
    EXPECT_EQ(comparison.cases[2].change, Change::added);
    EXPECT_EQ(comparison.cases[2].cells.front(), "c");
    EXPECT_FALSE(is_regression(comparison.cases[2], 0));
}

TEST(Compare, OrdersCasesByTheirColumns)
{
    const std::string header = "strategy,backend,depth,gpu_us,wall_us,status\r\n";
    std::string shuffled = header; // in the order in which a run measures them
    for (const char* depth : {"16", "9", "full", "128", ""})
        shuffled += fmt::format("s,cuda,{},10,15,ok\r\n", depth);
    std::vector<std::string> depths;
    for (const ComparedCase& one : compare_logs(log_of(shuffled), log_of(shuffled)).cases)
        depths.push_back(one.cells[2]);
    EXPECT_THAT(depths, ElementsAre("", "9", "16", "128", "full"));
}

TEST(Compare, GoesByTheKeyWhereBothHaveOne)
{
    const std::string header = "key,strategy,backend,wave,wall_us,status\r\n";
    const std::string before = "00000000000000aa,s,cuda,96,10,ok\r\n00000000000000bb,s,cuda,96,20,ok\r\n";
    const std::string after = "00000000000000bb,s,cuda,48,40,ok\r\n00000000000000aa,s,cuda,48,30,ok\r\n";
    const Comparison comparison = compare_logs(log_of(header + before), log_of(header + after));
    EXPECT_TRUE(comparison.by_key);
    ASSERT_EQ(comparison.cases.size(), 2);
    EXPECT_EQ(comparison.cases[0].key, "00000000000000aa");
    EXPECT_DOUBLE_EQ(*comparison.cases[0].ratio, 3);
    EXPECT_DOUBLE_EQ(*comparison.cases[1].ratio, 2);
    EXPECT_THAT(comparison.cases[0].cells, ElementsAre("s", "cuda", "96")); // the cells of A

    // If one log has no key, cases are matched by columns, and wave is one of them.
    const Comparison columns =
        compare_logs(log_of(header + before), log_of("strategy,backend,wave,wall_us,status\r\ns,cuda,96,30,ok\r\n"));
    EXPECT_FALSE(columns.by_key);
    ASSERT_EQ(columns.cases.size(), 1);
    EXPECT_DOUBLE_EQ(*columns.cases[0].ratio, 2); // 30 / 15
    EXPECT_THAT(text_of<RunError>([&] {
                    compare_logs(log_of(header + before, "a.csv"), log_of(header + ",s,cuda,1,1,ok\r\n", "b.csv"));
                }),
                HasSubstr("b.csv:2: key is ''"));
}

TEST(Compare, ShowsTheParametersOfAWorkloadThatIsNotLoaded)
{
    const std::string header = "key,strategy,backend,slabs,repetition,wall_us,of_later,status\r\n";
    const std::string rows = "00000000000000aa,s,cuda,4,0,10,7,ok\r\n00000000000000bb,s,cuda,8,0,20,8,ok\r\n";
    const Comparison comparison = compare_logs(log_of(header + rows), log_of(header + rows));
    ASSERT_EQ(comparison.cases.size(), 2);
    EXPECT_THAT(comparison.cases[0].cells, ElementsAre("s", "cuda", "4"));
    EXPECT_THAT(comparison.cases[1].cells, ElementsAre("s", "cuda", "8"));
}

TEST(Compare, LeavesOutWhatOneLogLacksAndSaysSo)
{
    const ParsedLog narrow = log_of("strategy,backend,wall_us,status\r\ns,cuda,10,ok\r\n");
    const ParsedLog wide =
        log_of("strategy,backend,grid,nx,wall_us,status\r\ns,cuda,64,,20,ok\r\ns,cuda,32,,40,ok\r\n");
    for (const Comparison& comparison : {compare_logs(narrow, wide), compare_logs(wide, narrow)}) {
        EXPECT_THAT(comparison.left_out, ElementsAre("grid")); // nx is empty
        EXPECT_THAT(comparison.columns, ElementsAre("strategy", "backend"));
        EXPECT_EQ(comparison.cases.size(), 1);
    }
    EXPECT_DOUBLE_EQ(*compare_logs(narrow, wide).cases.front().ratio, 3); // 30, the median of both cases, over 10
    EXPECT_THAT(compared(rows("s", {1}), rows("s", {1})).left_out, IsEmpty());
}

TEST(Compare, MixesNoExperimentsAndNoGpus)
{
    const auto log = [](const std::vector<std::pair<std::string, std::string>>& rows) {
        std::string text = "experiment,gpu,strategy,backend,wall_us,status\r\n";
        for (const auto& [experiment, gpu] : rows)
            text += fmt::format("{},{},s,cuda,10,ok\r\n", experiment, gpu);
        return log_of(text);
    };
    // One experiment and one GPU per log: a different name does not make a different case.
    EXPECT_EQ(compare_logs(log({{"e", "one"}}), log({{"f", "two"}})).cases.size(), 1);
    const Comparison several = compare_logs(log({{"e", "one"}, {"f", "one"}}), log({{"e", "two"}}));
    ASSERT_EQ(several.cases.size(), 2);
    EXPECT_THAT(several.columns, ElementsAre("strategy", "backend", "experiment"));
    EXPECT_EQ(several.cases[1].change, Change::missing);
    EXPECT_EQ(compare_logs(log({{"e", "one"}, {"e", "two"}}), log({{"e", "two"}})).cases.size(), 2);
}

TEST(Compare, RefusesWhatIsNoLog)
{
    const ParsedLog log = log_of(kHeader + rows("s", {10}));
    EXPECT_EQ(text_of<RunError>([&] { compare_logs(log, log_of("strategy,launches\r\n", "b.csv")); }),
              "b.csv: it is not a log of nestbed run: it has no column backend, wall_us, status");
    EXPECT_EQ(text_of<UsageError>([&] { compared("", rows("s", {10})); }),
              "a.csv (0 cases) and b.csv (1) have no case in common; allowed: logs of the same cases");
}

// ---- the exact test ----

// The lady tasting tea: four of eight cups are of one kind.
TEST(FisherExactFewer, IsTheTailOfTheHypergeometricDistribution)
{
    EXPECT_NEAR(fisher_exact_fewer(0, 4, 4, 4), 1.0 / 70, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(1, 4, 3, 4), 17.0 / 70, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(4, 4, 0, 4), 1, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(0, 1, 1, 2), 2.0 / 3, 1e-12); // sides of different sizes
    EXPECT_NEAR(fisher_exact_fewer(0, 5, 0, 3), 1, 1e-12);
}

} // namespace
} // namespace nestbed
