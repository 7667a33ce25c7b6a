#include "run/summary.hpp"

#include "base/statistics.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace nestbed
{

namespace
{

// Which clock a case is timed by.
std::string_view clock_of(const CaseResult& result)
{
    const auto timed = std::ranges::find_if(result.samples, [](const Sample& s) { return s.wall_us.has_value(); });
    return timed == result.samples.end() ? "" : timed->gpu_us ? "gpu" : "wall";
}

// None of its GPU times has anything of the host's.
bool is_held(const CaseResult& result)
{
    return std::ranges::all_of(result.samples, [](const Sample& sample) { return sample.held || !sample.gpu_us; });
}

// Of each group, by each clock, for each state of the L2 cache, held or not: the median of `neighbored`, or else of `cub`, if one was
// measured.
using ReferenceKey = std::tuple<std::size_t, std::string_view, CacheState, bool>;
using References = std::map<ReferenceKey, double>;

ReferenceKey reference_key(const CaseResult& result, bool held)
{
    return {result.group, clock_of(result), result.point.l2, held};
}

References references_in(const std::vector<CaseResult>& results)
{
    References references;
    for (const std::string_view reference : {"neighbored", "cub"})
        for (const CaseResult& result : results)
            if (result.point.strategy == reference)
                if (const std::vector<double> times = times_of(result); !times.empty())
                    references.try_emplace(reference_key(result, is_held(result)), median(times));
    return references;
}

// Two or three digits that mean something: 0.001, 0.32, 1.00, 41.2, 400.
std::string ratio_text(double ratio)
{
    const int decimals = ratio < 0.0995 ? 3 : ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", ratio, decimals);
}

constexpr std::string_view kUnlike = "*"; // one of a ratio's times is held, the other is not

// How often the reference's time on the same input, by the same clock, goes into this one. Empty where there is none.
std::string ratio_to_reference(const References& references, const CaseResult& result, double us)
{
    if (Registry::find_anywhere(result.point.strategy)->info().workload != "reduce")
        return "";
    const bool held = is_held(result);
    if (const auto like = references.find(reference_key(result, held)); like != references.end())
        return ratio_text(us / like->second);
    if (const auto unlike = references.find(reference_key(result, !held)); unlike != references.end())
        return ratio_text(us / unlike->second).append(kUnlike);
    return "";
}

// The median over all launches of all samples.
std::string latency_of(const CaseResult& result)
{
    std::vector<double> latencies;
    for (const Sample& sample : result.samples)
        if (sample.status == Status::ok)
            latencies.insert(latencies.end(), sample.latencies_us.begin(), sample.latencies_us.end());
    return latencies.empty() ? "" : format_us(median(latencies));
}

// "ok", or how many of which: "3 of 30 wrong".
std::string status_text(const CaseResult& result)
{
    for (const Sample& sample : result.samples) {
        if (sample.status == Status::ok)
            continue;
        const auto same = std::ranges::count(result.samples, sample.status, &Sample::status);
        return sample.status == Status::unsupported
                   ? std::string(name_of(sample.status))
                   : fmt::format("{} of {} {}", same, result.samples.size(), name_of(sample.status));
    }
    return "ok";
}

std::string axis_cell(const Axis& axis, const Case& point)
{
    const bool whole = point.grid == 0 || point.elements == std::uint64_t{point.grid} * point.block;
    return axis.name == "elements" && whole ? "" : cell_of(axis, point);
}

// Without the word that keys and settings leave out too, where every case has it.
std::vector<const Axis*> axes_of_table(const std::vector<CaseResult>& results)
{
    std::vector<const Axis*> axes;
    std::ranges::copy_if(plain_axes_in_tables(), std::back_inserter(axes), [&](const Axis* axis) {
        return axis->names.empty() || axis->usual_is_said ||
               !std::ranges::all_of(results, [&](const CaseResult& result) {
                   const std::string cell = cell_of(*axis, result.point);
                   return cell.empty() || cell == text_of(*axis, axis->usual);
               });
    });
    return axes;
}

// Of the median time.
Bandwidth bandwidth_of(const CaseResult& result, const RunFacts& run)
{
    const std::vector<double> times = times_of(result);
    if (times.empty())
        return {};
    Sample middle;
    (clock_of(result) == "gpu" ? middle.gpu_us : middle.wall_us) = median(times);
    return bandwidth_of(Registry::find_anywhere(result.point.strategy)->info(), result.point, middle, run.device,
                        run.bandwidth);
}

std::string percent_text(const std::optional<double>& share)
{
    return share ? fmt::format("{:.1f}%", 100 * *share) : "";
}

std::vector<std::string> result_cells(const References& references, const CaseResult& result, const RunFacts& run)
{
    std::string time;
    std::string spread;
    std::string between;
    std::string ratio;
    if (const std::vector<double> times = times_of(result); !times.empty()) {
        const auto [middle, interval] = estimate_median(times);
        time = format_us(middle);
        spread = fmt::format("{:.1f}%", 100 * median_absolute_deviation(times) / middle);
        if (times.size() >= kFewestSamples)
            between = format_us(interval.low) + " - " + format_us(interval.high);
        ratio = ratio_to_reference(references, result, middle);
    }
    const Bandwidth bandwidth = bandwidth_of(result, run);
    const auto counted = std::ranges::find_if(result.samples, [](const Sample& s) { return s.launches.has_value(); });
    return {std::string(clock_of(result)),
            std::to_string(times_of(result).size()),
            time,
            spread,
            between,
            counted == result.samples.end() ? "" : std::to_string(counted->launches->attempted),
            latency_of(result),
            bandwidth.effective ? ratio_text(*bandwidth.effective) : "",
            percent_text(bandwidth.peak_share()),
            ratio,
            status_text(result)};
}

constexpr std::string_view kBar = "bar";

// A backend's clock: times of one are never set beside those of another.
std::string timed_by(const CaseResult& result)
{
    return std::string(name_of(result.point.backend)) + " " + std::string(clock_of(result));
}

// One a case, of those that are timed by the same as most of them. Bars of logarithms say so.
Column bar_column(const std::vector<CaseResult>& results, BarStyle style)
{
    constexpr std::size_t kWidth = 8;
    std::map<std::string, std::size_t> cases;
    for (const CaseResult& result : results)
        cases[timed_by(result)] += times_of(result).empty() ? 0 : 1;
    const auto most = std::ranges::max_element(cases, {}, [](const auto& one) { return one.second; });
    std::vector<std::optional<double>> medians;
    for (const CaseResult& result : results) {
        const std::vector<double> times = times_of(result);
        const bool shown = !times.empty() && timed_by(result) == most->first;
        medians.push_back(shown ? std::optional(median(times)) : std::nullopt);
    }
    const bool logarithmic = wants_logarithms(medians);
    return {.name = std::string(kBar) + (logarithmic ? " (log)" : ""),
            .left = true,
            .dispensable = 5,
            .cells = bars_of(medians, kWidth, logarithmic, style)};
}

} // namespace

namespace
{

// How many samples have times of lower clocks than the GPU could have, and why; empty where none has.
std::string throttled_text(const std::vector<CaseResult>& results)
{
    std::size_t throttled = 0;
    std::size_t samples = 0;
    std::set<std::string> reasons;
    for (const CaseResult& result : results)
        for (const Sample& sample : result.samples) {
            ++samples;
            if (!sample.gpu_state.throttled())
                continue;
            ++throttled;
            std::ranges::move(split(sample.gpu_state.throttle, ' '), std::inserter(reasons, reasons.end()));
        }
    return throttled == 0 ? ""
                          : fmt::format("{} of {} samples were taken while the GPU's clocks were lowered: {}\n",
                                        throttled, samples, fmt::join(reasons, ", "));
}

} // namespace

std::string summary_table(const Plan& plan, const std::vector<CaseResult>& results,
                          const std::map<BackendKind, RunFacts>& runs, BarStyle bars)
{
    constexpr bool kLeft = true;
    constexpr bool kAxis = true;
    std::vector<Column> columns{{"strategy", kLeft}, {"backend", kLeft, kAxis}, {"mechanism", kLeft, kAxis}};
    const std::vector<const Axis*> axes = axes_of_table(results);
    for (const Axis* axis : axes)
        columns.push_back({std::string(axis->name), axis->words(), kAxis});
    columns.insert(columns.end(), {{"clock", kLeft, kAxis},
                                   {"n", !kLeft, kAxis},
                                   {"median"},
                                   {.name = "MAD", .dispensable = 1},
                                   {.name = "95% CI", .dispensable = 4},
                                   {"launches"},
                                   {"latency"},
                                   {.name = "GB/s", .dispensable = 3},
                                   {.name = "of peak", .dispensable = 2},
                                   {.name = "ratio", .dispensable = 6},
                                   {"status", kLeft}});
    const References references = references_in(results);
    for (const CaseResult& result : results) {
        const Case& point = result.point;
        const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
        std::vector<std::string> cells{point.strategy, std::string(name_of(point.backend)),
                                       info.mechanisms.size() == 1 ? ""
                                                                   : std::string(name_of(mechanism_of(info, point)))};
        for (const Axis* axis : axes)
            cells.push_back(axis_cell(*axis, point));
        std::ranges::move(result_cells(references, result, runs.at(point.backend)), std::back_inserter(cells));
        for (std::size_t index = 0; index < columns.size(); ++index)
            columns[index].cells.push_back(std::move(cells[index]));
    }
    columns.insert(std::ranges::find(columns, "MAD", &Column::name), bar_column(results, bars));

    std::string text = fmt::format("{}\n", plan.title.empty() ? plan.experiment : plan.title);
    for (const auto& [backend, run] : runs)
        text += fmt::format("{}: {}{}, {}\n", name_of(backend), run.device.name,
                            backend == BackendKind::cpu ? fmt::format(" (executor, {})", run.schedule) : "",
                            run.untimed ? "untimed" : "null kernel " + format_us(run.floor_us));
    const bool unlike = std::ranges::any_of(std::ranges::find(columns, "ratio", &Column::name)->cells,
                                            [](const std::string& cell) { return cell.ends_with(kUnlike); });
    // Said with the device already, or by no case.
    const bool untimed = std::ranges::all_of(runs, [](const auto& run) { return run.second.untimed; });
    constexpr std::array<std::string_view, 4> kTimes{"n", "median", "MAD", "95% CI"};
    constexpr std::array<std::string_view, 4> kSometimes{"latency", "GB/s", "of peak", "ratio"};
    std::erase_if(columns, [&](const Column& column) {
        return (column.name == "backend" && column.constant()) ||
               (untimed && std::ranges::find(kTimes, column.name) != kTimes.end()) ||
               (column.name.starts_with(kBar) && (untimed || results.size() == 1)) ||
               (column.value().empty() && std::ranges::find(kSometimes, column.name) != kSometimes.end());
    });
    text += table_text(std::move(columns));
    text += throttled_text(results);
    if (unlike)
        text += "(* the time of one side has the host's submission in it, that of the other has not: submit)\n";
    return text;
}

} // namespace nestbed
