// `nestbed statistics`, for scripts (experiments/medians.py): medians, 95 % bootstrap intervals and ratios, computed as for the table of
// a run and for compare. Standard input is a JSON list of requests; standard output is a list of as many answers
// {"value": 11.0, "low": 10.0, "high": 12.0}.
//
//     {"parts": [{"above": [10, 12, 11]}]}                            the median
//     {"parts": [{"above": [10, 12, 11], "per": 4}]}                  the median over 4
//     {"parts": [{"above": [10, 12], "below": [[5, 6], [7, 8]]}]}     the median over the smallest of the medians of "below"
//     {"parts": [{...}, {...}], "over": "geometric mean"}             one number of several; or "least", "greatest"
//
// A set may hold lists of numbers instead of numbers: the bootstrap then draws whole lists. A ratio is null if what it
// divides by is not above 0.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/statistics.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <map>

namespace nestbed
{

namespace
{

const Json& some_of(const Json& list)
{
    if (!list.is_array() || list.empty())
        throw UsageError(fmt::format("{} is not a list of at least one", json_text(list)));
    return list;
}

Rounds rounds_of(const Json& list)
{
    Rounds rounds;
    for (const Json& one : some_of(list))
        rounds.push_back(one.is_array() ? some_of(one).get<std::vector<double>>() : std::vector{one.get<double>()});
    return rounds;
}

Part part_of(const Json& json)
{
    Part part{.above = rounds_of(json.at("above")), .per = json.value("per", 1.0)};
    if (json.contains("below"))
        for (const Json& below : some_of(json.at("below")))
            part.below.push_back(rounds_of(below));
    return part;
}

Json answer_to(const Json& request)
{
    static const std::map<std::string, Over> overs{
        {"least", Over::least}, {"greatest", Over::greatest}, {"geometric mean", Over::geometric_mean}};
    std::vector<Part> parts;
    for (const Json& part : some_of(request.at("parts")))
        parts.push_back(part_of(part));
    const auto over = overs.find(parts.size() == 1 ? "least" : request.at("over").get<std::string>());
    if (over == overs.end())
        throw UsageError(fmt::format("\"over\" is {}", json_text(request.at("over"))));
    const auto [value, interval] = estimate(parts, over->second);
    return {{"value", value}, {"low", interval.low}, {"high", interval.high}}; // JSON has null for infinity and NaN
}

int statistics(const Arguments& /*arguments*/, const Given& /*given*/, std::ostream& out, std::ostream& /*err*/)
{
    Json answers = Json::array();
    try {
        const Json requests = parse_json(std::string(std::istreambuf_iterator<char>(std::cin), {}));
        for (const Json& request : some_of(requests))
            answers.push_back(answer_to(request));
    } catch (const std::exception& error) {
        throw UsageError(fmt::format("statistics: request {}: {}", answers.size() + 1, error.what()));
    }
    out << json_text(answers) << '\n';
    return exit_ok;
}

} // namespace

Command statistics_command()
{
    return {.name = "statistics",
            .arguments = "< REQUESTS.json",
            .summary = "compute medians and intervals, for scripts",
            .text = "Described in src/cli/command_statistics.cpp.\n",
            .call = statistics};
}

} // namespace nestbed
