#include "inspect/compare.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "inspect/fisher_exact.hpp"
#include "log/row.hpp"
#include "log/row_check.hpp"
#include "model/axis_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace nestbed
{

namespace
{

// The columns that describe the case of a row: the axes and the schedule. `wave` and `streams` are the values with
// which a row was launched: logs without a key do not contain the requested values.
std::vector<std::string_view> case_columns()
{
    std::vector<std::string_view> names;
    for (const std::string& column : columns())
        if (axis_of_column(column) != nullptr || column == "schedule")
            names.push_back(column);
    return names;
}

// Compared in addition to the key: times of two backends or schedules must never be compared.
constexpr std::array<std::string_view, 4> kBesideKey{"backend", "schedule", "experiment", "gpu"};
constexpr std::array<std::string_view, 4> kNeeded{"strategy", "backend", "wall_us", "status"};
constexpr std::string_view kKey = "key";
constexpr double kChance = 0.05; // the share outside a 95 % interval

using CaseCells = std::vector<std::string>;

void check_is_log(const ParsedLog& log)
{
    std::vector<std::string_view> lacking;
    std::ranges::copy_if(kNeeded, std::back_inserter(lacking), [&](std::string_view name) { return !log.has(name); });
    if (!lacking.empty())
        throw RunError(fmt::format("{}: it is not a log of nestbed run: it has no column {}", log.path,
                                   fmt::join(lacking, ", ")));
}

bool has_any_value(const ParsedLog& log, std::string_view column)
{
    if (!log.has(column))
        return false;
    const std::size_t place = log.column(column);
    return std::ranges::any_of(log.rows, [&](const LogRow& row) { return !row.cells[place].empty(); });
}

bool several_gpus(const ParsedLog& log)
{
    std::map<std::string, std::set<std::string>> found;
    for (const RowOrigin& origin : log.origins)
        found[origin.at("backend")].insert(origin.at("gpu"));
    return std::ranges::any_of(found, [](const auto& backend) { return backend.second.size() > 1; });
}

// Parameters of workloads that are not loaded.
bool is_unknown_parameter(const ParsedLog& log, const std::string& column)
{
    return std::ranges::find(columns(), column) == columns().end() &&
           log.column(column) < log.column(log.has("repetition") ? "repetition" : "wall_us");
}

// Chooses the columns that describe the case of a row.
void choose_columns(Comparison& comparison, const ParsedLog& before, const ParsedLog& after)
{
    comparison.by_key = before.has(kKey) && after.has(kKey);
    for (const std::string_view name : case_columns()) {
        if (before.has(name) && after.has(name))
            comparison.columns.emplace_back(name);
        else if (!comparison.by_key && (has_any_value(before, name) || has_any_value(after, name)))
            comparison.left_out.emplace_back(name);
    }
    const auto both = [&](std::string_view name) { return before.has(name) && after.has(name); };
    if (comparison.by_key)
        std::ranges::copy_if(before.columns, std::back_inserter(comparison.columns), [&](const std::string& name) {
            return both(name) && is_unknown_parameter(before, name);
        });
    if (both("experiment") && (before.values_of("experiment").size() > 1 || after.values_of("experiment").size() > 1))
        comparison.columns.emplace_back("experiment");
    if (both("gpu") && (several_gpus(before) || several_gpus(after)))
        comparison.columns.emplace_back("gpu");
}

// The times of one clock, in us, in the rows of a case that are ok.
struct Times {
    std::string column; // "gpu_us"
    std::vector<double> us{};
};

// What is kept of the rows of one case in one log.
struct CaseRows {
    CaseCells cells;
    std::string key;
    std::size_t line = 0; // of the first row
    CaseSide side{};      // without the times
    Times gpu{.column = "gpu_us"};
    Times wall{.column = "wall_us"};
    bool held = true; // all rows that are ok are

    const Times& times_by(std::string_view clock) const { return clock == "gpu" ? gpu : wall; }
};

struct Groups {
    std::vector<std::string> order; // identities, in the order of their first rows in the log
    std::unordered_map<std::string, CaseRows> by_identity;
};

// An open time may contain the submission by the host. Logs that are older than the column `submit` have only open
// times.
void add_row(CaseRows& group, const ParsedLog& log, const LogRow& row)
{
    const std::string& status = row.cells[log.column("status")];
    CaseSide& side = group.side;
    const bool ok = status == "ok";
    if (side.rows == 0 || (!ok && side.not_ok() == 0))
        side.status = status;
    ++side.rows;
    if (!ok)
        return;
    ++side.ok;
    for (Times* const times : {&group.gpu, &group.wall})
        if (log.has(times->column) && !row.cells[log.column(times->column)].empty())
            times->us.push_back(log.number(row, times->column));
    group.held = group.held && log.has("submit") && row.cells[log.column("submit")] == "held";
}

// The rows of each case. Throws RunError for a row that RowCheck refuses.
Groups groups_of(const Comparison& comparison, const ParsedLog& log)
{
    std::vector<std::string> identifying;
    std::ranges::copy_if(comparison.columns, std::back_inserter(identifying), [&](const std::string& column) {
        return !comparison.by_key || std::ranges::find(kBesideKey, column) != kBesideKey.end();
    });
    Groups groups;
    RowCheck check(log);
    std::string identity;
    for (const LogRow& row : log.rows) {
        check.check_once(row);
        const std::string_view key = comparison.by_key ? std::string_view(row.cells[log.column(kKey)]) : "";
        identity = key;
        for (const std::string& column : identifying)
            identity.append(1, '\0').append(row.cells[log.column(column)]);
        const auto [group, is_new] = groups.by_identity.try_emplace(identity);
        if (is_new) {
            groups.order.push_back(identity);
            group->second.key = key;
            group->second.line = row.line;
            for (const std::string& column : comparison.columns)
                group->second.cells.push_back(row.cells[log.column(column)]);
        }
        add_row(group->second, log, row);
    }
    return groups;
}

bool has_times(const CaseRows& group)
{
    return !group.gpu.us.empty() || !group.wall.us.empty();
}

// Whether every ok row has such a time.
bool all_have(const ParsedLog& log, const CaseRows& group, const Times& times)
{
    return log.has(times.column) && times.us.size() == group.side.ok;
}

CaseSide side_of(const CaseRows& group, const std::vector<double>& times)
{
    CaseSide side = group.side;
    if (!times.empty())
        side.median_us = median(times);
    return side;
}

// Whether `after` is right less often than `before`, by more than chance allows.
bool right_less_often(const CaseSide& before, const CaseSide& after)
{
    return fisher_exact_fewer(after.ok, after.rows, before.ok, before.rows) < kChance / 2;
}

// `timed`: at least one log has times.
Change change_of(const ComparedCase& one, std::size_t fewest, bool timed)
{
    const CaseSide& before = one.before;
    const CaseSide& after = one.after;
    if (before.rows == 0 || after.rows == 0)
        return after.rows == 0 ? Change::missing : Change::added;
    const bool always = before.not_ok() == 0;
    if (always ? after.not_ok() > 0 : right_less_often(before, after))
        return Change::fails;
    if (!always && ((before.ok == 0 && after.not_ok() == 0) || right_less_often(after, before)))
        return Change::fixed;
    if (!one.interval)
        return timed && before.ok > 0 && after.ok > 0 ? Change::untimed : Change::no_times;
    if (fewest < kFewestSamples)
        return Change::too_few;
    return one.interval->low > 1 ? Change::slower : one.interval->high < 1 ? Change::faster : Change::same;
}

// Takes what describes the case.
ComparedCase compare_case(const ParsedLog& before_log, CaseRows& before, const ParsedLog& after_log, CaseRows& after)
{
    CaseRows& described = before.side.rows == 0 ? after : before;
    ComparedCase one{.cells = std::move(described.cells), .key = std::move(described.key)};
    const std::vector<double> none;
    const std::vector<double>* before_times = &none;
    const std::vector<double>* after_times = &none;
    for (const char* clock : {"gpu", "wall"}) {
        if (!all_have(before_log, before, before.times_by(clock)) ||
            !all_have(after_log, after, after.times_by(clock)))
            continue;
        before_times = &before.times_by(clock).us;
        after_times = &after.times_by(clock).us;
        one.clock = before_times->empty() && after_times->empty() ? "" : clock;
        break;
    }
    one.before = side_of(before, *before_times);
    one.after = side_of(after, *after_times);
    if (one.before.median_us && one.after.median_us) {
        if (one.clock == "gpu") {
            one.before.submit = before.held ? "held" : "open";
            one.after.submit = after.held ? "held" : "open";
        }
        const Estimate found = estimate_ratio(*after_times, *before_times);
        one.ratio = found.value;
        one.interval = found.interval;
    }
    one.change =
        change_of(one, std::min(before_times->size(), after_times->size()), has_times(before) || has_times(after));
    return one;
}

} // namespace

std::string_view name_of(Change change)
{
    constexpr std::array<std::string_view, kChanges.size()> kNames{
        "fails", "missing", "slower", "untimed", "same", "faster", "fixed", "too few", "no times", "added"};
    return kNames.at(static_cast<std::size_t>(change));
}

Comparison compare_logs(const ParsedLog& before, const ParsedLog& after)
{
    check_is_log(before);
    check_is_log(after);
    Comparison comparison;
    choose_columns(comparison, before, after);
    std::future<Groups> in_after = std::async(std::launch::async, [&] { return groups_of(comparison, after); });
    Groups old_groups = groups_of(comparison, before);
    Groups new_groups = in_after.get();
    CaseRows none;
    const auto group_in = [&](Groups& groups, const std::string& identity) -> CaseRows& {
        const auto found = groups.by_identity.find(identity);
        return found == groups.by_identity.end() ? none : found->second;
    };
    std::size_t common = 0;
    for (const std::string& identity : old_groups.order) {
        CaseRows& again = group_in(new_groups, identity);
        common += again.side.rows == 0 ? 0 : 1;
        comparison.cases.push_back(compare_case(before, group_in(old_groups, identity), after, again));
    }
    if (common == 0)
        throw UsageError(
            fmt::format("{} ({} cases) and {} ({}) have no case in common; allowed: logs of the same cases",
                        before.path, old_groups.order.size(), after.path, new_groups.order.size()));
    for (const std::string& identity : new_groups.order)
        if (!old_groups.by_identity.contains(identity))
            comparison.cases.push_back(compare_case(before, none, after, group_in(new_groups, identity)));
    std::ranges::stable_sort(comparison.cases, [](const ComparedCase& a, const ComparedCase& b) {
        return std::ranges::lexicographical_compare(a.cells, b.cells, comes_before);
    });
    return comparison;
}

bool is_suspect(const ComparedCase& one, double tolerance)
{
    return one.change == Change::too_few && *one.ratio > 1 + tolerance;
}

bool is_regression(const ComparedCase& one, double tolerance)
{
    return one.change == Change::fails || one.change == Change::missing || one.change == Change::untimed ||
           is_suspect(one, tolerance) || (one.change == Change::slower && *one.ratio > 1 + tolerance);
}

std::size_t tested_cases(const Comparison& comparison)
{
    return static_cast<std::size_t>(std::ranges::count_if(comparison.cases, [](const ComparedCase& one) {
        return one.change == Change::slower || one.change == Change::same || one.change == Change::faster;
    }));
}

double chance_findings(const Comparison& comparison)
{
    return kChance * static_cast<double>(tested_cases(comparison));
}

} // namespace nestbed
