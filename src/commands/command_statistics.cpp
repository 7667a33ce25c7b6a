#include "base/error.hpp"
#include "base/json.hpp"
#include "base/statistics.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <set>

namespace nestbed
{

namespace
{

constexpr std::string_view kStatisticsHelp =
    R"(Medians, 95 % bootstrap intervals and ratios of sets of numbers, for scripts:
computed as for the table of a run and for compare. Standard input is a JSON
list of requests; standard output is a JSON list of as many answers
{"value": 11.0, "low": 10.0, "high": 12.0}.

  {"parts": [{"above": [10, 12, 11]}]}
      the median
  {"parts": [{"above": [10, 12, 11], "per": 4}]}
      the median over 4
  {"parts": [{"above": [10, 12], "below": [[5, 6], [7, 8]]}]}
      the median over the smallest of the medians of "below"
  {"parts": [{...}, {...}], "over": "geometric mean"}
      one number of several: "least", "greatest" or "geometric mean"

A set may hold lists of numbers instead of numbers: the bootstrap then draws
whole lists. A ratio is null if what it divides by is not above 0.

Exit: 0; 2 a request is malformed.
)";

struct NamedOver {
    std::string_view name;
    Over over;
};
constexpr std::array kOvers{NamedOver{"least", Over::least}, NamedOver{"greatest", Over::greatest},
                            NamedOver{"geometric mean", Over::geometric_mean}};

[[noreturn]] void refuse(const std::string& place, const std::string& why)
{
    throw UsageError(fmt::format("statistics: {}: {}", place, why));
}

void check_keys(const Json& json, const std::string& place, const std::set<std::string>& allowed)
{
    if (!json.is_object())
        refuse(place, fmt::format("it is {}; allowed: an object", json_text(json)));
    for (const auto& [key, value] : json.items())
        if (!allowed.contains(key))
            refuse(place, fmt::format("there is no key '{}'; allowed: {}", key, fmt::join(allowed, ", ")));
}

// A list that must exist and have at least one element.
const Json& list_at(const Json& json, const char* key, const std::string& place)
{
    if (!json.contains(key) || !json.at(key).is_array() || json.at(key).empty())
        refuse(place, fmt::format("\"{}\" is {}; allowed: a list of at least one", key,
                                  json.contains(key) ? json_text(json.at(key)) : "missing"));
    return json.at(key);
}

Rounds rounds_of(const Json& list, const std::string& place)
{
    Rounds rounds;
    for (const Json& one : list) {
        const bool is_round = one.is_array() && !one.empty() &&
                              std::ranges::all_of(one, [](const Json& each) { return each.is_number(); });
        if (!is_round && !one.is_number())
            refuse(place, fmt::format("it has {}; allowed: numbers, or lists of numbers", json_text(one)));
        rounds.push_back(is_round ? one.get<std::vector<double>>() : std::vector{one.get<double>()});
    }
    return rounds;
}

Part part_of(const Json& json, const std::string& place)
{
    check_keys(json, place, {"above", "below", "per"});
    Part part{.above = rounds_of(list_at(json, "above", place), place + ", \"above\"")};
    if (json.contains("below"))
        for (const Json& below : list_at(json, "below", place)) {
            if (!below.is_array() || below.empty())
                refuse(place,
                       fmt::format("\"below\" has {}; allowed: lists of at least one number", json_text(below)));
            part.below.push_back(rounds_of(below, place + ", \"below\""));
        }
    if (json.contains("per")) {
        if (!json.at("per").is_number() || json.at("per").get<double>() == 0)
            refuse(place, fmt::format("\"per\" is {}; allowed: a number that is not 0", json_text(json.at("per"))));
        part.per = json.at("per").get<double>();
    }
    return part;
}

Over over_of(const Json& json, std::size_t parts, const std::string& place)
{
    if (!json.contains("over") && parts == 1)
        return Over::least;
    const auto* const found = std::ranges::find_if(
        kOvers, [&](const NamedOver& one) { return json.contains("over") && json.at("over") == one.name; });
    if (found == kOvers.end())
        refuse(place,
               fmt::format("\"over\" is {}; allowed with {} parts: \"least\", \"greatest\", \"geometric mean\"",
                           json.contains("over") ? json_text(json.at("over")) : "missing", parts));
    return found->over;
}

Json answer_to(const Json& request, const std::string& place)
{
    check_keys(request, place, {"parts", "over"});
    std::vector<Part> parts;
    for (const Json& part : list_at(request, "parts", place))
        parts.push_back(part_of(part, fmt::format("{}, part {}", place, parts.size() + 1)));
    const auto [value, interval] = estimate(parts, over_of(request, parts.size(), place));
    return {{"value", value}, {"low", interval.low}, {"high", interval.high}}; // JSON has null for infinity and NaN
}

int statistics(const Arguments& /*arguments*/, const Given& /*given*/, std::ostream& out, std::ostream& /*err*/)
{
    Json answers = Json::array();
    try {
        const Json requests = parse_json(std::string(std::istreambuf_iterator<char>(std::cin), {}));
        if (!requests.is_array())
            refuse("standard input", "it is not a list; allowed: a JSON list of requests");
        for (const Json& request : requests)
            answers.push_back(answer_to(request, fmt::format("request {}", answers.size() + 1)));
    } catch (const Json::exception& error) {
        refuse("standard input", error.what());
    }
    if (!(out << json_text(answers) << '\n' << std::flush))
        throw RunError("standard output: it could not be written to");
    return exit_ok;
}

} // namespace

Command statistics_command()
{
    return {.name = "statistics",
            .arguments = "< REQUESTS.json",
            .summary = "compute medians and intervals, for scripts",
            .text = kStatisticsHelp,
            .call = statistics};
}

} // namespace nestbed
