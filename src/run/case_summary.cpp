#include "run/case_summary.hpp"

#include "base/csv.hpp"
#include "base/json.hpp"
#include "model/axis_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestbed
{

namespace
{

std::string status_text(const CaseResult& result)
{
    if (!result.bad)
        return "ok";
    const auto same = std::ranges::count(result.samples, *result.bad, &KeptSample::status);
    return result.bad == Status::unsupported
               ? std::string(name_of(*result.bad))
               : fmt::format("{} of {} {}", same, result.samples.size(), name_of(*result.bad));
}

} // namespace

namespace
{

std::optional<Spread> runs_of(const CaseResult& result)
{
    std::vector<double> p99;
    std::vector<double> p999;
    double worst = 0;
    for (const KeptSample& sample : result.samples)
        if (sample.status == Status::ok && sample.wall_of_runs) {
            p99.push_back(sample.wall_of_runs->p99);
            p999.push_back(sample.wall_of_runs->p999);
            worst = std::max(worst, sample.wall_of_runs->worst);
        }
    if (p99.empty())
        return std::nullopt;
    return Spread{.median = median(times_of(result)), .p99 = median(p99), .p999 = median(p999), .worst = worst};
}

} // namespace

std::string_view clock_of(const CaseResult& result)
{
    const auto timed =
        std::ranges::find_if(result.samples, [](const KeptSample& s) { return s.wall_us.has_value(); });
    return timed == result.samples.end() ? "" : timed->gpu_us ? "gpu" : "wall";
}

CaseSummary summary_of(const CaseResult& result, const RunFacts& run)
{
    CaseSummary summary{.clock = clock_of(result), .status = status_text(result)};
    if (const std::vector<double> times = times_of(result); !times.empty()) {
        const auto [middle, interval] = estimate_median(times);
        summary.timed = times.size();
        summary.median_us = middle;
        summary.mad_us = median_absolute_deviation(times);
        if (times.size() >= kFewestSamples)
            summary.interval_us = interval;
        Sample of_median;
        (summary.clock == "gpu" ? of_median.gpu_us : of_median.wall_us) = middle;
        summary.bandwidth = bandwidth_of(Registry::find_anywhere(result.point.strategy)->info(), result.point,
                                         of_median, run.device, run.bandwidth);
    }
    summary.of_runs = runs_of(result);
    summary.launches = result.launches;
    if (!result.latencies_us.empty())
        summary.latency_us = median(result.latencies_us);
    return summary;
}

namespace
{

struct DataCell {
    std::string column;
    std::string text;
    bool number = true;
};

std::vector<DataCell> data_of(const CaseResult& result, const RunFacts& run)
{
    const CaseSummary summary = summary_of(result, run);
    const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
    const auto time = [](const std::optional<double>& us) { return us ? fmt::format("{:.3f}", *us) : ""; };
    const auto precise = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.4g}", *value) : "";
    };
    const auto of_runs = [&](double Spread::*us) { return summary.of_runs ? time((*summary.of_runs).*us) : ""; };
    std::vector<DataCell> cells{{"strategy", result.point.strategy, false},
                                {"backend", std::string(name_of(result.point.backend)), false},
                                {"mechanism", std::string(name_of(mechanism_of(info, result.point))), false}};
    for (const Axis* axis : plain_axes_in_tables()) {
        const std::string text = cell_of(*axis, result.point);
        cells.push_back({axis->column, text, !axis->list() && text != axis->range.word});
    }
    const auto ok = std::ranges::count(result.samples, Status::ok, &KeptSample::status);
    cells.insert(cells.end(), {{"clock", std::string(summary.clock), false},
                               {"n", std::to_string(summary.timed)},
                               {"median_us", time(summary.median_us)},
                               {"low_us", summary.interval_us ? time(summary.interval_us->low) : ""},
                               {"high_us", summary.interval_us ? time(summary.interval_us->high) : ""},
                               {"mad_us", time(summary.mad_us)},
                               {"p99_us", of_runs(&Spread::p99)},
                               {"p999_us", of_runs(&Spread::p999)},
                               {"worst_us", of_runs(&Spread::worst)},
                               {"launches", summary.launches ? std::to_string(*summary.launches) : ""},
                               {"latency_us", time(summary.latency_us)},
                               {"bandwidth_gb_s", precise(summary.bandwidth.effective)},
                               {"peak_share", precise(summary.bandwidth.peak_share())},
                               {"samples", std::to_string(result.samples.size())},
                               {"samples_ok", std::to_string(ok)},
                               {"racy", info.racy ? "yes" : "no", false},
                               {"status", summary.status, false},
                               {"reason", result.reason, false}});
    return cells;
}

} // namespace

std::string summary_csv(const std::vector<CaseResult>& results, const std::map<BackendKind, RunFacts>& runs)
{
    std::string text;
    for (const CaseResult& result : results) {
        std::vector<std::string> names;
        std::vector<std::string> cells;
        for (DataCell& cell : data_of(result, runs.at(result.point.backend))) {
            names.push_back(std::move(cell.column));
            cells.push_back(std::move(cell.text));
        }
        if (text.empty())
            text = csv_line(names);
        text += csv_line(cells);
    }
    return text;
}

std::string summary_json(const std::vector<CaseResult>& results, const std::map<BackendKind, RunFacts>& runs)
{
    Json list = Json::array();
    for (const CaseResult& result : results) {
        Json one;
        for (const DataCell& cell : data_of(result, runs.at(result.point.backend))) {
            if (cell.text.empty())
                one[cell.column] = nullptr;
            else if (cell.number)
                one[cell.column] = parse_json(cell.text);
            else
                one[cell.column] = cell.text;
        }
        list.push_back(std::move(one));
    }
    return json_lines(list);
}

} // namespace nestbed
