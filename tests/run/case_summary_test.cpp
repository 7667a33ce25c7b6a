// The numbers of a case as data: a CSV with all columns, and JSON whose numbers are numbers.
#include "run/case_summary.hpp"

#include "base/csv.hpp"
#include "support/matchers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestbed
{
namespace
{

CaseResult result_of(const std::string& strategy, const std::vector<Sample>& samples)
{
    CaseResult result{.point = {.strategy = strategy, .elements = 64, .grid = 4, .block = 16}};
    for (const Sample& sample : samples)
        result.keep(sample);
    return result;
}

const std::vector<Sample> kFive{{.wall_us = 10}, {.wall_us = 12}, {.wall_us = 14}, {.wall_us = 11}, {.wall_us = 20}};

TEST(CaseSummary, IsOfTheSamplesThatAreOkAndTimed)
{
    std::vector<Sample> samples = kFive;
    samples.push_back({.status = Status::wrong, .detail = "the sum is 1"});
    const CaseSummary summary = summary_of(result_of("neighbored", samples), {});
    EXPECT_EQ(summary.clock, "wall");
    EXPECT_EQ(summary.timed, 5U);
    EXPECT_EQ(summary.median_us, 12);
    EXPECT_EQ(summary.mad_us, 2);
    ASSERT_TRUE(summary.interval_us);
    EXPECT_LE(summary.interval_us->low, 12);
    EXPECT_EQ(summary.status, "1 of 6 wrong");
    EXPECT_FALSE(summary.latency_us);
}

TEST(CaseSummary, HasNoIntervalOfFewerThanFive)
{
    std::vector<Sample> four = kFive;
    four.pop_back();
    EXPECT_FALSE(summary_of(result_of("neighbored", four), {}).interval_us);
    const CaseSummary none =
        summary_of(result_of("neighbored", {{.status = Status::unsupported, .detail = "no"}}), {});
    EXPECT_EQ(none.status, "unsupported");
    EXPECT_EQ(none.clock, "");
    EXPECT_EQ(none.timed, 0U);
    EXPECT_FALSE(none.median_us);
}

TEST(CaseSummary, GoesByTheClockOfTheGpuWhereThereIsOne)
{
    const CaseResult result = result_of("neighbored", {{.gpu_us = 5, .wall_us = 10}});
    EXPECT_EQ(clock_of(result), "gpu");
    EXPECT_EQ(summary_of(result, {}).median_us, 5);
    EXPECT_EQ(summary_of(result, {}).status, "ok");
}

Sample of_runs(double median, double p99, double p999, double worst)
{
    return {.wall_us = median,
            .runs = RunTimes{.wall = {.median = median, .p99 = p99, .p999 = p999, .worst = worst}}};
}

TEST(CaseSummary, OfManyRunsHasTheMediansOfTheirQuantilesAndTheWorstOfAll)
{
    Sample wrong{.status = Status::wrong, .detail = "the sum is 1"};
    const CaseResult result =
        result_of("chain", {of_runs(80, 90, 95, 4000), of_runs(82, 91, 99, 200), of_runs(81, 99, 100, 300), wrong});
    const CaseSummary summary = summary_of(result, {});
    EXPECT_EQ(summary.median_us, 81);
    ASSERT_TRUE(summary.of_runs);
    EXPECT_EQ(summary.of_runs->median, 81);
    EXPECT_EQ(summary.of_runs->p99, 91);
    EXPECT_EQ(summary.of_runs->p999, 99);
    EXPECT_EQ(summary.of_runs->worst, 4000);
    const std::vector<std::vector<std::string>> csv = parse_csv(summary_csv({result}, {{BackendKind::cpu, {}}}));
    const auto cell = [&](const std::string& column) {
        return csv[1].at(static_cast<std::size_t>(std::ranges::find(csv[0], column) - csv[0].begin()));
    };
    EXPECT_EQ(cell("p99_us"), "91.000");
    EXPECT_EQ(cell("p999_us"), "99.000");
    EXPECT_EQ(cell("worst_us"), "4000.000");
    EXPECT_FALSE(summary_of(result_of("neighbored", kFive), {}).of_runs);
}

TEST(CaseSummary, IsDataAsCsvAndJson)
{
    const std::vector<CaseResult> results{result_of("neighbored", kFive), result_of("nosync", {{.wall_us = 7.5}})};
    const std::map<BackendKind, RunFacts> runs{{BackendKind::cpu, {}}};
    const std::vector<std::vector<std::string>> csv = parse_csv(summary_csv(results, runs));
    ASSERT_EQ(csv.size(), 3U); // one header
    const auto cell = [&](std::size_t row, const std::string& column) {
        return csv[row].at(static_cast<std::size_t>(std::ranges::find(csv[0], column) - csv[0].begin()));
    };
    EXPECT_EQ(cell(1, "strategy"), "neighbored");
    EXPECT_EQ(cell(1, "grid"), "4");
    EXPECT_EQ(cell(1, "n"), "5");
    EXPECT_EQ(cell(1, "median_us"), "12.000");
    EXPECT_EQ(cell(1, "mad_us"), "2.000");
    EXPECT_EQ(cell(1, "samples"), "5");
    EXPECT_EQ(cell(1, "samples_ok"), "5");
    EXPECT_EQ(cell(1, "racy"), "no");
    EXPECT_EQ(cell(1, "status"), "ok");
    EXPECT_EQ(cell(2, "racy"), "yes");
    EXPECT_EQ(cell(2, "depth"), "full");
    EXPECT_EQ(cell(2, "low_us"), "");

    const nlohmann::json json = nlohmann::json::parse(summary_json(results, runs));
    ASSERT_EQ(json.size(), 2U);
    EXPECT_EQ(json[0]["strategy"], "neighbored");
    EXPECT_EQ(json[0]["backend"], "cpu");
    for (const auto& [name, number] : {std::pair("grid", 4.0), {"n", 5}, {"median_us", 12}, {"samples", 5}}) {
        EXPECT_TRUE(json[0][name].is_number()) << name;
        EXPECT_EQ(json[0][name], number) << name;
    }
    EXPECT_EQ(json[1]["depth"], "full"); // a word in place of a number
    EXPECT_EQ(json[1]["racy"], "yes");
    EXPECT_TRUE(json[1]["low_us"].is_null());
    EXPECT_TRUE(json[0]["reason"].is_null());
    for (const auto& [name, value] : json[0].items())
        EXPECT_NE(std::ranges::find(csv[0], name), csv[0].end()) << name;
}

} // namespace
} // namespace nestbed
