#include "log/logged_cases.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "log/old_names.hpp"
#include "log/resume.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/text_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace nestbed
{

namespace
{

// Parses the text of an axis value from a log or a manifest: the inverse of text_of().
std::optional<std::uint64_t> value_in(const Axis& axis, std::string_view text, const std::string& place)
{
    if (text.empty())
        return axis.range.word.empty() ? std::optional<std::uint64_t>(0) : std::nullopt;
    if (axis.text)
        return number_of_text(std::string(text));
    if (text == axis.range.word)
        return std::nullopt;
    if (const auto name = std::ranges::find(axis.names, text); name != axis.names.end())
        return static_cast<std::uint64_t>(name - axis.names.begin());
    const auto number = [&](std::string_view digits) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || value > axis.range.most)
            throw RunError(fmt::format("{}: {} is '{}', which no case can have", place, axis.name, text));
        return value;
    };
    if (!axis.shape)
        return number(text);
    const std::size_t x = std::min(text.find('x'), text.size() - 1);
    constexpr unsigned kShapeBits = 32;
    return number(text.substr(0, x)) << kShapeBits | number(text.substr(x + 1));
}

void set_word(Case& point, std::string_view name, const std::string& text, const std::string& place)
{
    const auto* const mechanism =
        std::ranges::find_if(kMechanisms, [&](Mechanism one) { return name_of(one) == text; });
    if (name == "strategy") {
        if (Registry::find_anywhere(text) == nullptr)
            throw RunError(fmt::format("{}: this nestbed has no strategy '{}'", place, text));
        point.strategy = text;
    } else if (name == "backend") {
        if (text != "cuda" && text != "cpu")
            throw RunError(fmt::format("{}: backend is '{}'; allowed: cuda, cpu", place, text));
        point.backend = text == "cuda" ? BackendKind::cuda : BackendKind::cpu;
    } else if (mechanism == kMechanisms.end()) {
        throw RunError(fmt::format("{}: there is no mechanism '{}'", place, text));
    } else {
        point.mechanism = *mechanism;
    }
}

// Makes a case from the cells of a row. For wave and streams a row contains the values that were used, not those
// asked for.
Case case_in(const ParsedLog& log, const LogRow& row)
{
    const std::string place = fmt::format("{}:{}", log.path, row.line);
    Case point;
    for (const char* word : {"strategy", "backend", "mechanism"})
        set_word(point, word, row.cells[log.column(word)].empty() ? "" : current_cell(log, row, word), place);
    for (const Axis& axis : plain_axes())
        axis.set(point, value_in(axis, current_cell(log, row, axis.column), place));
    return point;
}

// The part that all cases of a group share: their input.
Case input_of(const Case& point)
{
    Case input;
    input.backend = point.backend;
    for (const Axis& axis : plain_axes())
        if (axis.input)
            axis.set(input, axis.get(point));
    return input;
}

// Adds the facts about a run's device that the row contains.
void add_facts(RunFacts& run, const ParsedLog& log, const LogRow& row)
{
    static const std::string none;
    const auto text = [&](std::string_view column) -> const std::string& {
        return log.has(column) ? row.cells[log.column(column)] : none;
    };
    run.experiment = text("experiment");
    run.schedule = text("schedule");
    run.device.name = text("gpu");
    run.device.driver = text("driver");
    run.device.runtime = text("cuda");
    run.untimed = log.has("floor_us") && text("floor_us").empty();
    run.floor_us = text("floor_us").empty() ? 0 : log.number(row, "floor_us");
    if (!text("peak_gb_s").empty())
        run.device.peak_bandwidth_gb_s = log.number(row, "peak_gb_s");
}

} // namespace

Case planned_case(const std::string& settings, const std::string& place)
{
    std::map<std::string, std::string, std::less<>> said;
    for (const std::string& part : split(settings, ' '))
        said.emplace(part.substr(0, part.find('=')), part.substr(std::min(part.find('=') + 1, part.size())));
    Case point;
    for (const char* word : {"strategy", "backend"})
        set_word(point, word, said[word], place);
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    set_word(point, "mechanism",
             said.contains("mechanism") ? std::string(current_name(said["mechanism"]))
                                        : std::string(name_of(info.mechanisms.front())),
             place);
    for (const Axis& axis : plain_axes())
        axis.set(point, said.contains(axis.name) || axis.usual_is_said // else the text is older than the axis
                            ? value_in(axis, said[std::string(axis.name)], place)
                            : axis.usual);
    if (info.over_matrix())
        point.elements = std::uint64_t{point.nx} * point.ny;
    reset_meaningless(point);
    return point;
}

LoggedCases logged_cases(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs)
{
    LoggedCases logged;
    std::unordered_map<std::string, std::size_t> place_in_plan; // by key
    std::unordered_map<std::string, Case> planned;
    for (const auto& [run_id, run] : runs) {
        logged.title = run.title.empty() ? run.experiment : run.title;
        for (const PlannedCase& one : run.cases) {
            place_in_plan.emplace(one.key, place_in_plan.size());
            if (!planned.contains(one.key))
                planned.emplace(one.key, planned_case(one.settings, "the manifest of " + log.path));
        }
    }
    std::unordered_map<std::string, std::size_t> found; // by key
    for (const LogRow& row : log.rows) {
        std::string key = log.has("key") ? row.cells[log.column("key")] : "";
        std::optional<Case> point;
        if (!planned.contains(key)) {
            point = case_in(log, row);
            key = key.empty() ? settings_text(*point) : key;
        }
        const auto [at, is_new] = found.try_emplace(key, logged.results.size());
        if (is_new)
            logged.results.push_back({.point = point ? *point : planned.at(key), .key = key});
        CaseResult& result = logged.results[at->second];
        result.keep(sample_of(log, row));
        add_facts(logged.runs[result.point.backend], log, row);
    }
    const auto place_of = [&](const CaseResult& one) {
        const auto place = place_in_plan.find(one.key);
        return place == place_in_plan.end() ? SIZE_MAX : place->second;
    };
    std::ranges::sort(logged.results, [&](const CaseResult& one, const CaseResult& other) {
        const std::size_t place = place_of(one);
        const std::size_t other_place = place_of(other);
        if (place != other_place || place != SIZE_MAX)
            return place < other_place;
        return std::tuple(input_of(one.point), one.point.strategy, one.point) <
               std::tuple(input_of(other.point), other.point.strategy, other.point);
    });
    std::map<Case, std::size_t> groups;
    for (CaseResult& result : logged.results)
        result.group = groups.emplace(input_of(result.point), groups.size()).first->second;
    if (logged.title.empty() && !logged.runs.empty())
        logged.title = logged.runs.begin()->second.experiment;
    return logged;
}

} // namespace nestbed
