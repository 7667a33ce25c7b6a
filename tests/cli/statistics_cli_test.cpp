// `nestbed statistics`, and that the table of a run and `nestbed compare` show the same numbers.
#include "base/text.hpp"
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace nestbed
{
namespace
{

using Json = nlohmann::json;

Outcome statistics_of(const std::string& requests)
{
    std::istringstream in(requests);
    auto* const before = std::cin.rdbuf(in.rdbuf());
    const Outcome outcome = nestbed("statistics");
    std::cin.rdbuf(before);
    return outcome;
}

Json answers_to(const std::string& requests)
{
    const Outcome outcome = statistics_of(requests);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
}

TEST(StatisticsCommand, AnswersEveryRequest)
{
    const Json answers = answers_to(R"([
        {"parts": [{"above": [10, 12]}]},
        {"parts": [{"above": [55], "below": [[20, 30], [10, 12]]}]},
        {"parts": [{"above": [30, 30], "per": 4}]},
        {"parts": [{"above": [3]}, {"above": [12]}], "over": "geometric mean"},
        {"parts": [{"above": [3]}, {"above": [12]}], "over": "least"},
        {"parts": [{"above": [3]}, {"above": [12]}], "over": "greatest"},
        {"parts": [{"above": [[1, 2, 3, 4]]}]},
        {"parts": [{"above": [3], "below": [[0]]}]}])");
    EXPECT_EQ(answers, Json::parse(R"([
        {"value": 11.0, "low": 10.0, "high": 12.0},
        {"value": 5.0, "low": 4.583333333333333, "high": 5.5},
        {"value": 7.5, "low": 7.5, "high": 7.5},
        {"value": 6.0, "low": 6.0, "high": 6.0},
        {"value": 3.0, "low": 3.0, "high": 3.0},
        {"value": 12.0, "low": 12.0, "high": 12.0},
        {"value": 2.5, "low": 2.5, "high": 2.5},
        {"value": null, "low": null, "high": null}])"));
}

TEST(StatisticsCommand, RefusesWhatIsNoRequest)
{
    for (const auto& [requests, why] :
         {std::pair{"[", "request 1: "}, std::pair{"{}", "request 1: {} is not a list of at least one"},
          std::pair{R"([{"parts": [{"above": [1]}]}, {}])", "request 2: "},
          std::pair{R"([{"parts": []}])", "request 1: [] is not a list"},
          std::pair{R"([{"parts": [{"above": [1, "2"]}]}])", "request 1: "},
          std::pair{R"([{"parts": [{"above": [1], "below": [[]]}]}])", "request 1: "},
          std::pair{R"([{"parts": [{"above": [1]}, {"above": [1]}]}])", "request 1: "},
          std::pair{R"([{"parts": [{"above": [1]}, {"above": [1]}], "over": "mean"}])",
                    "request 1: \"over\" is \"mean\""}}) {
        const Outcome outcome = statistics_of(requests);
        EXPECT_EQ(outcome.exit_code, 2) << requests;
        EXPECT_EQ(outcome.out, "") << requests;
        EXPECT_THAT(outcome.err, HasSubstr(fmt::format("nestbed: statistics: {}", why))) << requests;
    }
    EXPECT_THAT(nestbed("help").out, Not(HasSubstr("statistics")));
}

TEST(StatisticsCommand, SaysOfALogWhatTheTableOfItsRunSays)
{
    const ScratchFolder scratch;
    const std::string log = scratch.path("log.csv");
    const Words words =
        Words("run --strategy nosync,reduce2 --backend cpu --grid 8,16 --block 64 --repeat 9 --seed 1 -o") + log;
    ASSERT_EQ(nestbed(words).exit_code, 0);
    const Outcome run = nestbed(words); // nothing is left to measure: the table comes from the rows in the file
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::map<std::string, Json> times;
    for (const Row& row : rows_of(log))
        times[row.at("strategy") + " +" + row.at("grid")].push_back(std::stod(row.at("wall_us")));
    ASSERT_EQ(times.size(), 4U);
    for (const auto& [where, values] : times) {
        const Json answer = answers_to(Json::array({{{"parts", {{{"above", values}}}}}}).dump()).at(0);
        const std::string value = format_us(answer.at("value")); // the interval has its unit and its decimals
        const double unit = value.ends_with(" ms") ? 1e3 : 1;
        const std::size_t decimals = value.find(' ') - std::min(value.find('.'), value.find(' ') - 1) - 1;
        EXPECT_THAT(run.out, ContainsRegex(fmt::format("{} .*{} .* {:.{}f}-{:.{}f} ", where, value,
                                                       answer.at("low").get<double>() / unit, decimals,
                                                       answer.at("high").get<double>() / unit, decimals)));
    }
}

// The ratio and its interval in the CSV of compare are those computed from the rows.
TEST(StatisticsCommand, SaysOfTwoLogsWhatCompareSays)
{
    const ScratchFolder scratch;
    const auto log = [&](const char* name, const std::vector<int>& times) {
        std::string text = "strategy,backend,wall_us,status\r\n";
        for (const int time : times)
            text += fmt::format("nosync,cpu,{},ok\r\n", time);
        return scratch.write(name, text);
    };
    const std::string before = log("a.csv", {10, 14, 12, 11, 18, 13});
    const std::string after = log("b.csv", {31, 20, 25, 27, 22, 29, 24});
    ended(3, {"compare", before, after, "--csv", scratch.path("c.csv")});
    const Row row = rows_of(scratch.path("c.csv")).at(0);
    const Json answer =
        answers_to(R"([{"parts": [{"above": [31, 20, 25, 27, 22, 29, 24], "below": [[10, 14, 12, 11, 18, 13]]}]}])")
            .at(0);
    EXPECT_NEAR(std::stod(row.at("ratio")), answer.at("value"), 1e-4);
    EXPECT_NEAR(std::stod(row.at("ratio_low")), answer.at("low"), 1e-4);
    EXPECT_NEAR(std::stod(row.at("ratio_high")), answer.at("high"), 1e-4);
}

} // namespace
} // namespace nestbed
