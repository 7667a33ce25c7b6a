#include "run/summary.hpp"

#include "base/statistics.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/bandwidth.hpp"
#include "run/case_summary.hpp"
#include "run/executor_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

// Whether elements follow from grid and block, or from the sides of a matrix, in all cases: then they need no column.
bool elements_follow(const std::vector<CaseResult>& results)
{
    return std::ranges::all_of(results, [](const CaseResult& result) {
        const Case& point = result.point;
        const bool has_grid = !cell_of(axis_named("grid"), point).empty();
        return cell_of(axis_named("elements"), point).empty() || point.nx != 0 ||
               (has_grid && point.elements == std::uint64_t{point.grid} * point.block);
    });
}

// The axes with a column. An axis of words, or a parameter of some workloads, is left out if all cases have the default that
// keys and settings omit.
std::vector<const Axis*> axes_of_table(const std::vector<CaseResult>& results)
{
    std::vector<const Axis*> axes;
    std::ranges::copy_if(plain_axes_in_tables(), std::back_inserter(axes), [&](const Axis* axis) {
        return (axis->name != "elements" || !elements_follow(results)) &&
               ((!axis->named() && !axis->own) || axis->always_in_key ||
                !std::ranges::all_of(results, [&](const CaseResult& result) {
                    const std::string cell = cell_of(*axis, result.point);
                    return cell.empty() || cell == text_of(*axis, axis->default_value);
                }));
    });
    return axes;
}

std::string percent_text(const std::optional<double>& share)
{
    return share ? fmt::format("{:.1f}%", 100 * *share) : "";
}

// "20.1-20.9", in the unit and with the decimals of the median.
std::string interval_text(const Interval& us, double median_us)
{
    const std::string median = format_us(median_us);
    const std::size_t digits_end = median.find(' ');
    const std::size_t point = std::min(median.find('.'), digits_end - 1);
    const double us_per_unit = median.ends_with(" us") ? 1 : median.ends_with(" ms") ? 1e3 : 1e6;
    return fmt::format("{0:.{2}f}-{1:.{2}f}", us.low / us_per_unit, us.high / us_per_unit, digits_end - 1 - point);
}

constexpr std::string_view kRacy = "*"; // declared racy

Colour colour_of_status(const std::string& status)
{
    return status == "ok" ? Colour::green : status.starts_with("ok") ? Colour::yellow : Colour::red;
}

std::vector<std::string> result_cells(const FlatTimes& flat, const CaseResult& result, const RunFacts& run)
{
    CaseSummary summary = summary_of(result, run);
    const bool of_gpu = result.point.backend == BackendKind::cuda;
    const bool racy = Registry::find_anywhere(result.point.strategy)->info().racy;
    std::string spread;
    std::string between;
    std::string ratio;
    if (summary.median_us) {
        spread = fmt::format("{:.1f}%", 100 * *summary.mad_us / *summary.median_us);
        ratio = flat.ratio_of(result, *summary.median_us);
    }
    if (summary.interval_us)
        between = interval_text(*summary.interval_us, *summary.median_us);
    const auto of_runs = [&](double Spread::*us) { return summary.of_runs ? format_us((*summary.of_runs).*us) : ""; };
    return {std::string(summary.clock),
            summary.timed == 0 ? "" : std::to_string(summary.timed),
            summary.median_us ? format_us(*summary.median_us) : "",
            spread,
            between,
            of_runs(&Spread::p99),
            of_runs(&Spread::p999),
            of_runs(&Spread::worst),
            summary.launches ? std::to_string(*summary.launches) : "",
            summary.latency_us ? format_us(*summary.latency_us) : "",
            summary.bandwidth.effective && of_gpu ? rate_text(*summary.bandwidth.effective) : "",
            percent_text(summary.bandwidth.peak_share()),
            ratio,
            summary.status.append(racy ? kRacy : "")};
}

constexpr std::string_view kBar = "bar";

// One bar per case, only for the GPU's clock or the host's, by which most cases are timed. The name says if bars are
// logarithmic.
Column bar_column(const std::vector<CaseResult>& results, BarStyle style)
{
    constexpr std::size_t kWidth = 8;
    std::map<std::string_view, std::size_t> cases;
    for (const CaseResult& result : results)
        cases[clock_of(result)] += times_of(result).empty() ? 0 : 1;
    const auto most = std::ranges::max_element(cases, {}, [](const auto& one) { return one.second; });
    std::vector<std::optional<double>> medians;
    for (const CaseResult& result : results) {
        const std::vector<double> times = times_of(result);
        const bool shown =
            !times.empty() && clock_of(result) == most->first && result.point.backend == BackendKind::cuda;
        medians.push_back(shown ? std::optional(median(times)) : std::nullopt);
    }
    const bool logarithmic = wants_logarithms(medians);
    return {.name = std::string(kBar) + (logarithmic ? " (log)" : ""),
            .left = true,
            .dispensable = 4,
            .cells = bars_of(medians, kWidth, logarithmic, style)};
}

} // namespace

namespace
{

// How many samples were taken at clocks below the GPU's normal ones, and why; empty if there are none.
std::string throttled_text(const std::vector<CaseResult>& results)
{
    std::size_t throttled = 0;
    std::size_t samples = 0;
    std::set<std::string> reasons;
    for (const CaseResult& result : results) {
        samples += result.samples.size();
        throttled += static_cast<std::size_t>(std::ranges::count(result.samples, true, &KeptSample::throttled));
        reasons.insert(result.throttle_reasons.begin(), result.throttle_reasons.end());
    }
    return throttled == 0 ? ""
                          : fmt::format("{} of {} samples were taken while the GPU's clocks were lowered: {}\n",
                                        throttled, samples, fmt::join(reasons, ", "));
}

} // namespace

namespace
{

using Runs = std::map<BackendKind, RunFacts>;

// The heading already says so for each device.
bool all_untimed(const Runs& runs)
{
    return std::ranges::all_of(runs, [](const auto& run) { return run.second.untimed; });
}

// The times of the same cases in another log; none if it has no case of these.
std::vector<Column> reference_columns(const std::vector<CaseResult>& results, const ReferenceTimes& reference)
{
    std::vector<Column> columns{{reference.device()}, {reference.device() + " ratio"}};
    for (const CaseResult& result : results) {
        ReferenceTimes::Cells cells = reference.of(result.point);
        columns[0].cells.push_back(std::move(cells.median));
        columns[1].cells.push_back(std::move(cells.ratio));
    }
    std::erase_if(columns, [](const Column& column) { return column.value().empty(); });
    return columns;
}

std::vector<Column> columns_of(const std::vector<CaseResult>& results, const Runs& runs, BarStyle bars,
                               const std::optional<ReferenceTimes>& reference)
{
    constexpr bool kLeft = true;
    constexpr bool kAxis = true;
    std::vector<Column> columns{{"strategy", kLeft},
                                {"backend", kLeft, kAxis},
                                {.name = "mechanism", .left = kLeft, .axis = kAxis, .below = true}};
    const std::vector<const Axis*> axes = axes_of_table(results);
    for (const Axis* axis : axes)
        columns.push_back({std::string(axis->name), axis->words(), kAxis});
    columns.insert(columns.end(), {{"clock", kLeft, kAxis},
                                   {.name = "n", .axis = kAxis, .dispensable = 5},
                                   {"median"},
                                   {.name = "MAD", .dispensable = 1},
                                   {.name = "95% CI", .dispensable = 6},
                                   {"p99"},
                                   {"p99.9"},
                                   {"worst"},
                                   {"launches"},
                                   {.name = "latency", .dispensable = 7},
                                   {.name = "GB/s", .dispensable = 3},
                                   {.name = "of peak", .dispensable = 2},
                                   {"ratio"},
                                   {.name = "status", .left = kLeft, .colour = colour_of_status}});
    const FlatTimes flat(results);
    for (const CaseResult& result : results) {
        const Case& point = result.point;
        const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
        std::vector<std::string> cells{point.strategy, std::string(name_of(point.backend)),
                                       info.mechanisms.size() == 1 ? ""
                                                                   : std::string(name_of(mechanism_of(info, point)))};
        for (const Axis* axis : axes)
            cells.push_back(cell_of(*axis, point));
        std::ranges::move(result_cells(flat, result, runs.at(point.backend)), std::back_inserter(cells));
        add_row(columns, std::move(cells));
    }
    columns.insert(std::ranges::find(columns, "MAD", &Column::name), bar_column(results, bars));
    if (reference)
        std::ranges::move(reference_columns(results, *reference),
                          std::inserter(columns, std::ranges::find(columns, "status", &Column::name)));

    const bool untimed = all_untimed(runs);
    constexpr std::array<std::string_view, 4> kTimes{"n", "median", "MAD", "95% CI"};
    constexpr std::array<std::string_view, 10> kSometimes{"MAD",      "95% CI",  "p99",  "p99.9",   "worst",
                                                          "launches", "latency", "GB/s", "of peak", "ratio"};
    std::erase_if(columns, [&](const Column& column) {
        return (column.name == "backend" && column.constant()) ||
               (untimed && std::ranges::find(kTimes, column.name) != kTimes.end()) ||
               (column.name.starts_with(kBar) &&
                (untimed || std::ranges::count(column.cells, "") + 1 >= std::ssize(column.cells))) ||
               (column.value().empty() && std::ranges::find(kSometimes, column.name) != kSometimes.end());
    });
    return columns;
}

// Names in it may come from another author's file.
std::string heading_of(const std::string& title, const Runs& runs, const std::optional<ReferenceTimes>& reference,
                       std::size_t columns)
{
    std::string text = words_in_lines(printable(title), 0, columns);
    for (const auto& [backend, run] : runs) {
        // Logs of earlier versions do not contain the time of an empty kernel.
        const std::string floor = run.empty_kernel_us > 0 ? ", empty kernel " + format_us(run.empty_kernel_us) : "";
        text += words_in_lines(
            printable(fmt::format("{}: {}{}{}", name_of(backend), run.device.name,
                                  backend == BackendKind::cpu ? fmt::format(" (executor, {})", run.schedule) : "",
                                  run.untimed ? ", untimed" : floor)),
            0, columns);
        if (backend == BackendKind::cpu && !run.untimed)
            text += words_in_lines(std::string(kExecutorTimes), 0, columns);
    }
    return text + (reference ? words_in_lines(printable(reference->note()), 0, columns) : "");
}

// Why a case is not ok: the detail of its first such sample; empty if it repeats that of the case above.
std::vector<std::string> reasons_of(const std::vector<CaseResult>& results)
{
    std::vector<std::string> reasons;
    std::string before;
    for (const CaseResult& result : results) {
        std::string reason = printable(result.reason);
        reasons.push_back(reason == before ? "" : reason);
        before = std::move(reason);
    }
    return reasons;
}

// Of an input with held and other times of flat forms, each is compared with the fastest of its kind. Empty without one.
std::string unheld_text(const std::vector<CaseResult>& results)
{
    std::map<std::string, std::array<std::string, 2>> flat; // by work: a form that is not held, and one that is
    for (const CaseResult& result : results) {
        const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
        if (info.workload->has_ratio && !info.on_host && result.point.backend == BackendKind::cuda &&
            clock_of(result) == "gpu" && !from_device(mechanism_of(info, result.point)))
            flat[work_of(result.point)].at(is_held(result) ? 1 : 0) = result.point.strategy;
    }
    for (const auto& [work, forms] : flat)
        if (!forms[0].empty() && !forms[1].empty())
            return fmt::format(
                "(times that include the host's work between launches, such as that of {}: the ratio is "
                "to the fastest of those)\n",
                forms[0]);
    return "";
}

std::string notes_of(const std::vector<CaseResult>& results, const std::vector<Column>& columns)
{
    std::string text = throttled_text(results);
    if (std::ranges::any_of(results, [](const CaseResult& result) {
            return Registry::find_anywhere(result.point.strategy)->info().racy;
        }))
        text += "* declared racy: the answer depends on the schedule, even if it was right\n";
    const auto is_ratio = [](const Column& column) { return column.name.ends_with("ratio"); };
    if (std::ranges::any_of(columns, is_ratio))
        text += "(ratio: to the fastest flat form on the same input by the same clock)\n" + unheld_text(results);
    if (std::ranges::any_of(columns, [&](const Column& column) {
            return is_ratio(column) && std::ranges::any_of(column.cells, [](const std::string& cell) {
                       return cell.ends_with(FlatTimes::kUnlike);
                   });
        }))
        text += "(* one time of the ratio includes the host's submission, the other does not: submit)\n";
    return text;
}

} // namespace

std::string summary_table(const std::string& title, const std::vector<CaseResult>& results, const Runs& runs,
                          BarStyle bars, const Terminal& terminal, const std::optional<ReferenceTimes>& reference)
{
    const std::vector<Column> columns = columns_of(results, runs, bars, reference);
    std::string notes;
    for (const std::string& line : split(notes_of(results, columns), '\n'))
        notes += line.empty() ? "" : words_in_lines(line, 0, terminal.columns);
    return heading_of(title, runs, reference, terminal.columns) + table_text(columns, terminal, reasons_of(results)) +
           notes;
}

std::string summary_markdown(const std::string& title, const std::vector<CaseResult>& results, const Runs& runs,
                             const std::optional<ReferenceTimes>& reference)
{
    std::vector<Column> columns = columns_of(results, runs, BarStyle::blocks, reference);
    std::erase_if(columns, [](const Column& column) { return column.name.starts_with(kBar); });
    return heading_of("**" + title + "**", runs, reference, SIZE_MAX) + markdown_text(columns) + "\n" +
           notes_of(results, columns);
}

} // namespace nestbed
