#include "run/summary.hpp"

#include "base/statistics.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "model/bandwidth.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nestbed
{

namespace
{

std::vector<double> times_of(const CaseResult& result)
{
    std::vector<double> times;
    for (const Sample& sample : result.samples)
        if (sample.status == Status::ok && sample.wall_us)
            times.push_back(sample.gpu_us ? *sample.gpu_us : *sample.wall_us);
    return times;
}

// Which clock a case is timed by.
std::string_view clock_of(const CaseResult& result)
{
    const auto timed = std::ranges::find_if(result.samples, [](const Sample& s) { return s.wall_us.has_value(); });
    return timed == result.samples.end() ? "" : timed->gpu_us ? "gpu" : "wall";
}

// The median of `neighbored` on the same input, or else of `cub`, if one was measured.
std::optional<double> reference_time(const std::vector<CaseResult>& results, const CaseResult& result)
{
    if (Registry::find_anywhere(result.point.strategy)->info().workload != "reduce")
        return std::nullopt;
    for (const std::string_view reference : {"neighbored", "cub"})
        for (const CaseResult& other : results)
            if (other.group == result.group && other.point.strategy == reference &&
                clock_of(other) == clock_of(result))
                if (const std::vector<double> times = times_of(other); !times.empty())
                    return median(times);
    return std::nullopt;
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

// Two or three digits that mean something: 0.001, 0.32, 1.00, 41.2, 400.
std::string ratio_text(double ratio)
{
    const int decimals = ratio < 0.0995 ? 3 : ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", ratio, decimals);
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

std::vector<std::string> axis_cells(const CaseResult& result)
{
    const Case& point = result.point;
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const Mechanism mechanism = mechanism_of(info, point);
    const auto axis = [](bool means_something, const std::optional<std::uint32_t>& value, std::string_view word) {
        return !means_something ? "" : value ? std::to_string(*value) : std::string(word);
    };
    const bool nested = from_device(mechanism);
    const bool ragged =
        point.grid != 0 && point.elements != 0 && point.elements != std::uint64_t{point.grid} * point.block;
    return {std::string(name_of(point.backend)),
            info.mechanisms.size() == 1 ? "" : std::string(name_of(mechanism)),
            std::string(name_of(point.type)),
            ragged ? std::to_string(point.elements) : "",
            count_or_empty(point.grid),
            count_or_empty(point.block),
            count_or_empty(point.nx),
            count_or_empty(point.ny),
            name_of(point.shape),
            axis(has_levels(info, mechanism), point.depth, "full"),
            axis(nested, point.pending_limit, "auto"),
            axis(nested, point.wave, "auto"),
            axis(nested, point.streams, "auto"),
            info.delayed ? std::to_string(point.delay_us) : "",
            mechanism == Mechanism::graph_tail ? std::to_string(point.graphs) : "",
            info.drawn() ? std::to_string(point.seed) : "",
            std::string(clock_of(result))};
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

std::vector<std::string> result_cells(const std::vector<CaseResult>& results, const CaseResult& result,
                                      const RunFacts& run)
{
    std::string time;
    std::string spread;
    std::string between;
    std::string ratio;
    if (const std::vector<double> times = times_of(result); !times.empty()) {
        const auto [middle, interval] = estimate_median(times);
        time = format_us(middle);
        spread = fmt::format("{:.1f}%", 100 * median_absolute_deviation(times) / middle);
        between = format_us(interval.low) + " - " + format_us(interval.high);
        if (const auto reference = reference_time(results, result))
            ratio = ratio_text(middle / *reference);
    }
    const Bandwidth bandwidth = bandwidth_of(result, run);
    const auto counted = std::ranges::find_if(result.samples, [](const Sample& s) { return s.launches.has_value(); });
    return {result.point.strategy,
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

std::string summary_table(const Plan& plan, const std::vector<CaseResult>& results,
                          const std::map<BackendKind, RunFacts>& runs, BarStyle bars)
{
    constexpr bool kLeft = true;
    constexpr bool kAxis = true;
    std::vector<Column> columns{{"strategy", kLeft}};
    for (const char* name : {"backend", "mechanism", "type"})
        columns.push_back({name, kLeft, kAxis});
    for (const char* name : {"elements", "grid", "block", "nx", "ny", "block-shape", "depth", "pending-limit", "wave",
                             "streams", "delay-us", "graphs", "seed"})
        columns.push_back({name, !kLeft, kAxis});
    columns.push_back({"clock", kLeft, kAxis});
    columns.push_back({"median"});
    columns.push_back(bar_column(results, bars));
    columns.push_back({.name = "MAD", .dispensable = 1});
    columns.push_back({.name = "95% CI", .dispensable = 4});
    columns.push_back({"launches"});
    columns.push_back({"latency"});
    columns.push_back({.name = "GB/s", .dispensable = 3});
    columns.push_back({.name = "of peak", .dispensable = 2});
    columns.push_back({.name = "ratio", .dispensable = 6});
    columns.push_back({"status", kLeft});
    for (const CaseResult& result : results) {
        std::vector<std::string> cells = result_cells(results, result, runs.at(result.point.backend));
        const std::vector<std::string> axes = axis_cells(result);
        cells.insert(cells.begin() + 1, axes.begin(), axes.end());
        auto cell = cells.begin();
        for (Column& column : columns)
            if (!column.name.starts_with(kBar))
                column.cells.push_back(*cell++);
    }

    std::string text = fmt::format("{}\n", plan.title.empty() ? plan.experiment : plan.title);
    for (const auto& [backend, run] : runs)
        text += fmt::format("{}: {}{}, {}\n", name_of(backend), run.device.name,
                            backend == BackendKind::cpu ? fmt::format(" (executor, {})", run.schedule) : "",
                            run.untimed ? "untimed" : "null kernel " + format_us(run.floor_us));
    // Said with the device already, or by no case.
    const bool untimed = std::ranges::all_of(runs, [](const auto& run) { return run.second.untimed; });
    constexpr std::array<std::string_view, 3> kTimes{"median", "MAD", "95% CI"};
    constexpr std::array<std::string_view, 4> kSometimes{"latency", "GB/s", "of peak", "ratio"};
    std::erase_if(columns, [&](const Column& column) {
        return (column.name == "backend" && column.constant()) ||
               (untimed && std::ranges::find(kTimes, column.name) != kTimes.end()) ||
               (column.name.starts_with(kBar) && (untimed || results.size() == 1)) ||
               (column.value().empty() && std::ranges::find(kSometimes, column.name) != kSometimes.end());
    });
    return text + table_text(std::move(columns));
}

} // namespace nestbed
