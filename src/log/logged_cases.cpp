#include "log/logged_cases.hpp"

#include "base/error.hpp"
#include "log/logged_case.hpp"
#include "log/resume.hpp"
#include "log/row_check.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace nestbed
{

namespace
{

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
    run.untimed = log.has("empty_kernel_us") && text("empty_kernel_us").empty();
    run.empty_kernel_us = text("empty_kernel_us").empty() ? 0 : log.number(row, "empty_kernel_us");
    if (!text("peak_gb_s").empty())
        run.device.peak_bandwidth_gb_s = log.number(row, "peak_gb_s");
}

} // namespace

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
                planned.emplace(one.key, case_of_settings(one.settings, "the manifest of " + log.path));
        }
    }
    std::unordered_map<std::string, std::size_t> found; // by key
    const bool has_key = log.has("key");
    RowCheck check(log);
    for (const LogRow& row : log.rows) {
        check.check_once(row);
        const std::string& key = has_key ? row.cells[log.column("key")] : settings_text(case_of_row(log, row));
        const auto [at, is_new] = found.try_emplace(key, logged.results.size());
        if (is_new) {
            const auto plan = planned.find(key);
            logged.results.push_back(
                {.point = plan == planned.end() ? case_of_row(log, row) : plan->second, .key = key});
        }
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
