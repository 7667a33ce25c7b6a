#include "inspect/compare_text.hpp"

#include "base/table.hpp"
#include "base/text.hpp"
#include "inspect/compare_words.hpp"
#include "model/axis_table.hpp"
#include "run/executor_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

namespace nestbed
{

namespace
{

std::string percent_text(double share)
{
    return fmt::format("{:.6g} %", 100 * share);
}

// --- description of a case ---

std::size_t cases_told_apart(const std::vector<const Column*>& columns, std::size_t rows)
{
    std::unordered_set<std::string> found;
    for (std::size_t row = 0; row < rows; ++row) {
        std::string cells;
        for (const Column* column : columns)
            cells.append(column->cells[row]).push_back('\0');
        found.insert(std::move(cells));
    }
    return found.size();
}

// Removes columns that vary but follow from others, such as the elements from grid and block.
void leave_out_derived(std::vector<Column>& columns)
{
    const std::size_t rows = columns.front().cells.size();
    std::vector<const Column*> kept;
    for (const Column& column : columns)
        kept.push_back(&column);
    const std::size_t all = cases_told_apart(kept, rows);
    std::set<std::string_view> derived;
    for (const char* name : {"streams", "wave", "elements", "mechanism", "block", "grid"}) {
        std::vector<const Column*> fewer = kept;
        if (std::erase_if(fewer, [&](const Column* one) { return one->name == name && !one->constant(); }) == 0 ||
            cases_told_apart(fewer, rows) != all)
            continue;
        kept = std::move(fewer);
        derived.insert(name);
    }
    std::erase_if(columns, [&](const Column& column) { return derived.contains(column.name); });
}

// The columns that describe a case, with the values of all cases.
std::vector<Column> case_columns(const Comparison& comparison)
{
    std::vector<Column> columns;
    for (const std::string& name : comparison.columns) {
        const Axis* axis = axis_of_column(name);
        const bool words = axis == nullptr ? name == "schedule" || name == "experiment" : axis->words();
        columns.push_back(
            {.name = axis == nullptr ? name : std::string(axis->name), .left = words, .axis = name != "strategy"});
        for (const ComparedCase& one : comparison.cases)
            columns.back().cells.push_back(one.cells[columns.size() - 1]);
    }
    leave_out_derived(columns);
    return columns;
}

// "nosync, grid 64, block 128": the strategy, and the values that differ between the cases.
std::string case_name(const std::vector<Column>& columns, std::size_t row)
{
    std::string name;
    for (const Column& column : columns) {
        const std::string& cell = column.cells[row];
        if (!column.axis)
            name += cell;
        else if (!column.constant() && !cell.empty())
            name += fmt::format(", {} {}", column.name, cell);
    }
    return name;
}

// --- the logs ---

std::string values_text(const ParsedLog& log, std::string_view column)
{
    if (!log.has(column))
        return "";
    std::vector<std::string> found = log.values_of(column);
    std::erase(found, "");
    return fmt::format("{}", fmt::join(found, ", "));
}

// "A: before.csv, 5 cases of 150 rows", the same for B, and the differences between the logs.
std::string logs_text(const Comparison& comparison, const ParsedLog& before, const ParsedLog& after)
{
    const auto line_of = [&](std::string_view name, const ParsedLog& log, CaseSide ComparedCase::*side) {
        const auto cases =
            std::ranges::count_if(comparison.cases, [&](const ComparedCase& one) { return (one.*side).rows > 0; });
        return fmt::format("{}: {}, {} of {}\n", name, log.path, counted(static_cast<std::size_t>(cases), "case"),
                           counted(log.rows.size(), "row"));
    };
    std::string text = line_of("A", before, &ComparedCase::before) + line_of("B", after, &ComparedCase::after);
    const auto said = [](const std::string& values) { return values.empty() ? "unknown" : values; };
    for (const char* name : {"experiment", "gpu", "driver", "cuda", "git"}) {
        const std::string in_before = values_text(before, name);
        const std::string in_after = values_text(after, name);
        if (in_before != in_after)
            text += folded(fmt::format("{}: A {}; B {}", name, said(in_before), said(in_after)), 0);
    }
    const auto of_executor = [](const ParsedLog& log) {
        return std::ranges::any_of(log.origins,
                                   [](const RowOrigin& origin) { return origin.at("backend") == "cpu"; });
    };
    if (of_executor(before) || of_executor(after))
        text += folded(kExecutorTimes, 0);
    if (!comparison.left_out.empty())
        text += folded(
            fmt::format("Not used to match cases: {} (only in one log).", fmt::join(comparison.left_out, ", ")), 0);
    return text;
}

// --- the table ---

std::string side_text(const CaseSide& side)
{
    if (side.median_us)
        return format_us(*side.median_us);
    return side.ok == 0 ? side.status : "untimed";
}

std::string ok_text(const ComparedCase& one)
{
    const bool all = one.before.not_ok() == 0 && one.after.not_ok() == 0;
    if (all || one.before.ok + one.after.ok == 0)
        return "";
    return fmt::format("{}/{} {}/{}", one.before.ok, one.before.rows, one.after.ok, one.after.rows);
}

// Number of times on both sides: "30", or "30, 5".
std::string n_text(const ComparedCase& one)
{
    if (!one.ratio)
        return "";
    return one.before.ok == one.after.ok ? fmt::format("{}", one.before.ok)
                                         : fmt::format("{}, {}", one.before.ok, one.after.ok);
}

std::string interval_text(const Interval& interval)
{
    return fmt::format("{} - {}", ratio_text(interval.low), ratio_text(interval.high));
}

bool in_both(const ComparedCase& one)
{
    return one.before.rows > 0 && one.after.rows > 0;
}

// `columns` has the cells of all cases.
std::string cases_table(const Comparison& comparison, const std::vector<Column>& columns, double tolerance)
{
    std::vector<Column> shown = columns;
    for (Column& column : shown)
        column.cells.clear();
    std::vector<Column> results{{.name = "clock", .left = true, .axis = true},
                                {.name = "submit", .left = true},
                                {.name = "n", .axis = true},
                                {.name = "A", .dispensable = 3},
                                {.name = "B", .dispensable = 1},
                                {.name = "B / A"},
                                {.name = "95% CI", .dispensable = 4},
                                {.name = "ok in A, B", .dispensable = 2},
                                {.name = "verdict", .left = true}};
    for (std::size_t row = 0; row < comparison.cases.size(); ++row) {
        const ComparedCase& one = comparison.cases[row];
        if (!in_both(one))
            continue;
        for (std::size_t column = 0; column < columns.size(); ++column)
            shown[column].cells.push_back(columns[column].cells[row]);
        add_row(
            results,
            {one.clock,
             one.before.submit == one.after.submit ? "" : fmt::format("{}, {}", one.before.submit, one.after.submit),
             n_text(one), side_text(one.before), side_text(one.after), one.ratio ? ratio_text(*one.ratio) : "",
             one.interval ? interval_text(*one.interval) : "", ok_text(one),
             fmt::format("{}{}", name_of(one.change), is_regression(one, tolerance) ? " *" : "")});
    }
    std::erase_if(results, [](const Column& column) { return column.value().empty(); });
    shown.insert(shown.end(), results.begin(), results.end());
    const bool unlike = std::ranges::any_of(
        comparison.cases, [](const ComparedCase& one) { return one.before.submit != one.after.submit; });
    return table_text(std::move(shown)) +
           (unlike ? "submit (A, B): open times include the host's submission, held times do not\n" : "");
}

// --- summary ---

std::size_t count_of(const Comparison& comparison, Change change)
{
    return static_cast<std::size_t>(std::ranges::count(comparison.cases, change, &ComparedCase::change));
}

// "Only in A, 7 cases: nosync, grid 1; ...; and 2 more."
std::string only_text(const Comparison& comparison, const std::vector<Column>& columns, Change change)
{
    constexpr std::size_t kNamed = 5;
    const std::size_t count = count_of(comparison, change);
    if (count == 0)
        return "";
    std::vector<std::string> names;
    for (std::size_t row = 0; row < comparison.cases.size() && names.size() < kNamed; ++row)
        if (comparison.cases[row].change == change)
            names.push_back(case_name(columns, row));
    if (count > kNamed)
        names.push_back(fmt::format("and {} more", count - kNamed));
    return folded(fmt::format("Only in {}, {}: {}.", change == Change::missing ? "A" : "B", counted(count, "case"),
                              fmt::join(names, "; ")),
                  0);
}

std::string counts_text(const Comparison& comparison, const std::vector<Column>& columns, double tolerance)
{
    std::vector<std::string> counts;
    for (const Change change : kChanges)
        if (const std::size_t count = count_of(comparison, change); count > 0)
            counts.push_back(fmt::format("{} {}", count, name_of(change)));
    std::string text = folded(fmt::format("{}.", fmt::join(counts, ", ")), 0);
    if (const std::size_t tested = tested_cases(comparison); tested > 0)
        text +=
            folded(fmt::format("Measurably different: {} of {} tested; expect up to {:.1f} false positives (5 %).",
                               tested - count_of(comparison, Change::same), tested, chance_findings(comparison)),
                   0);
    if (count_of(comparison, Change::too_few) > 0)
        text += folded(fmt::format("Too few: a case with fewer than {} samples in A or B is not tested; it is a "
                                   "regression if it is slower by more than {}.",
                                   kFewestSamples, percent_text(tolerance)),
                       0);
    if (count_of(comparison, Change::untimed) > 0)
        text += "Untimed: one log, or some rows, have no time; not tested.\n";
    text += only_text(comparison, columns, Change::missing);
    text += only_text(comparison, columns, Change::added);
    if (std::ranges::any_of(comparison.cases,
                            [&](const ComparedCase& one) { return in_both(one) && is_regression(one, tolerance); }))
        text += fmt::format("* a regression: fails, untimed, or slower by more than {}\n", percent_text(tolerance));
    return text;
}

// The worst comes first: failing cases, then slower ones, then suspects (both by ratio), then untimed or missing
// cases.
bool is_worse(const ComparedCase& one, const ComparedCase& other)
{
    const auto badness = [](const ComparedCase& regression) {
        const bool slower = regression.change == Change::slower;
        const bool suspect = regression.change == Change::too_few;
        return std::pair(regression.change == Change::fails ? 3
                         : slower                           ? 2
                         : suspect                          ? 1
                                                            : 0,
                         slower || suspect ? *regression.ratio : 0);
    };
    return badness(one) > badness(other);
}

std::string regression_text(const ComparedCase& one)
{
    if (one.change == Change::missing)
        return "missing in B";
    if (one.change == Change::fails)
        return fmt::format("fails, {} of {} {}", one.after.not_ok(), one.after.rows, one.after.status);
    if (one.change == Change::untimed)
        return "right in both logs, but one log, or some rows, have no time";
    if (one.change == Change::too_few)
        return fmt::format("{} times as slow, from {} and {} samples; a test needs {}", ratio_text(*one.ratio),
                           one.before.ok, one.after.ok, kFewestSamples);
    return fmt::format("{} times as slow, 95% CI {}", ratio_text(*one.ratio), interval_text(*one.interval));
}

} // namespace

std::string compare_text(const Comparison& comparison, const ParsedLog& before, const ParsedLog& after,
                         double tolerance)
{
    const std::vector<Column> columns = case_columns(comparison);
    return logs_text(comparison, before, after) + cases_table(comparison, columns, tolerance) + "\n" +
           counts_text(comparison, columns, tolerance);
}

std::string regressions_text(const Comparison& comparison, double tolerance)
{
    std::size_t slower = 0;
    std::size_t suspect = 0;
    std::optional<std::size_t> worst;
    for (std::size_t row = 0; row < comparison.cases.size(); ++row) {
        const ComparedCase& one = comparison.cases[row];
        if (!is_regression(one, tolerance))
            continue;
        slower += one.change == Change::slower ? 1 : 0;
        suspect += one.change == Change::too_few ? 1 : 0;
        if (!worst || is_worse(one, comparison.cases[*worst]))
            worst = row;
    }
    if (!worst)
        return "";
    std::vector<std::string> counts;
    const std::size_t fails = count_of(comparison, Change::fails);
    const std::size_t missing = count_of(comparison, Change::missing);
    const std::size_t untimed = count_of(comparison, Change::untimed);
    if (fails > 0)
        counts.push_back(fmt::format("{} fail{}", fails, fails == 1 ? "s" : ""));
    if (slower > 0)
        counts.push_back(fmt::format("{} slower by more than {}", slower, percent_text(tolerance)));
    if (suspect > 0)
        counts.push_back(fmt::format("{} slower by more than {} with too few samples for a test", suspect,
                                     percent_text(tolerance)));
    if (untimed > 0)
        counts.push_back(fmt::format("{} untimed", untimed));
    if (missing > 0)
        counts.push_back(fmt::format("{} missing", missing));
    return fmt::format("{} ({}); the worst: {}: {}",
                       counted(fails + slower + suspect + untimed + missing, "regression"), fmt::join(counts, ", "),
                       case_name(case_columns(comparison), *worst), regression_text(comparison.cases[*worst]));
}

} // namespace nestbed
