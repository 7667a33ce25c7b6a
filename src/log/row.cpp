#include "log/row.hpp"

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "model/axis_table.hpp"
#include "model/bandwidth.hpp"
#include "model/case_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <random>
#include <unistd.h>

namespace nestbed
{

namespace
{

struct RowSource {
    const RunFacts& run;
    const Case& point;
    unsigned repetition;
    const Sample& sample;
    const StrategyInfo& info;
    Mechanism mechanism;
    Bandwidth bandwidth;
};

std::string number_or_empty(const std::optional<double>& value)
{
    return value ? fmt::format("{:.3f}", *value) : "";
}

// At least two decimals and at least three significant digits.
std::string rate_or_empty(const std::optional<double>& gb_s)
{
    constexpr double kOne = 1;
    if (!gb_s)
        return "";
    return *gb_s > 0 && *gb_s < kOne
               ? fmt::format("{:.{}f}", *gb_s, 2 - static_cast<int>(std::floor(std::log10(*gb_s))))
               : fmt::format("{:.2f}", *gb_s);
}

std::string share_or_empty(const std::optional<double>& share)
{
    return share ? fmt::format("{:.4f}", *share) : "";
}

std::string whole_or_empty(const std::optional<std::uint64_t>& number)
{
    return number ? std::to_string(*number) : "";
}

std::string text_or_empty(const std::optional<std::uint32_t>& number)
{
    return number ? std::to_string(*number) : "";
}

std::string counted(const RowSource& row, std::uint64_t LaunchCounts::*what)
{
    return row.sample.launches ? std::to_string((*row.sample.launches).*what) : "";
}

std::string requested(const RowSource& row, std::uint64_t RequestSample::*what)
{
    return row.sample.requests ? std::to_string((*row.sample.requests).*what) : "";
}

const Strategy& strategy_of(const Case& point)
{
    return *Registry::find_anywhere(point.strategy);
}

std::string latency_text(const RowSource& row, double (*of)(std::vector<double>))
{
    return row.sample.latencies_us.empty() ? "" : fmt::format("{:.3f}", of(row.sample.latencies_us));
}

// A fan-out may have tens of thousands of latencies, all on one level, so the cell contains their median.
std::string latency_by_depth(const RowSource& row)
{
    if (row.sample.latencies_us.empty() || row.info.workload->siblings)
        return latency_text(row, median);
    return fmt::format("{:.2f}", fmt::join(row.sample.latencies_us, " "));
}

std::string time_of_runs(const RowSource& row, Spread RunTimes::*which, double Spread::*what)
{
    return row.sample.runs ? fmt::format("{:.3f}", (*row.sample.runs).*which.*what) : "";
}

struct LogColumn {
    std::string_view name;
    std::function<std::string(const RowSource&)> cell;
};

LogColumn column_of(const Axis& axis)
{
    return {axis.column, [&axis](const RowSource& row) { return cell_of(axis, row.point); }};
}

// For wave and streams, a row contains the values that were used.
std::vector<LogColumn> table_of_columns()
{
    using Row = const RowSource&;
    std::vector<LogColumn> columns{
        {"experiment", [](Row r) { return r.run.experiment; }},
        {"run_id", [](Row r) { return r.run.run_id; }},
        {"key", [](Row r) { return key_of(r.point, r.run.schedule); }},
        {"strategy", [](Row r) { return r.point.strategy; }},
        {"workload", [](Row r) { return std::string(r.info.workload->name); }},
        {"backend", [](Row r) { return std::string(name_of(r.point.backend)); }},
        {"mechanism", [](Row r) { return std::string(name_of(r.mechanism)); }},
    };
    std::vector<LogColumn> others{
        column_of(axis_named("pending-limit")),
        {"pending_limit", [](Row r) { return count_or_empty(r.sample.pending_limit); }},
        {"limit_bytes",
         [](Row r) { return r.sample.pending_limit == 0 ? "" : std::to_string(r.sample.limit_bytes); }},
        {"wave", [](Row r) { return count_or_empty(r.sample.wave); }},
        {"waves", [](Row r) { return count_or_empty(r.sample.waves); }},
        {"streams", [](Row r) { return count_or_empty(r.sample.streams); }},
        {"schedule", [](Row r) { return r.run.schedule; }},
        column_of(axis_named("seed")),
        {"repetition", [](Row r) { return std::to_string(r.repetition); }},
        {"gpu_us", [](Row r) { return number_or_empty(r.sample.gpu_us); }},
        {"wall_us", [](Row r) { return number_or_empty(r.sample.wall_us); }},
        {"wall_p99_us", [](Row r) { return time_of_runs(r, &RunTimes::wall, &Spread::p99); }},
        {"wall_p999_us", [](Row r) { return time_of_runs(r, &RunTimes::wall, &Spread::p999); }},
        {"wall_worst_us", [](Row r) { return time_of_runs(r, &RunTimes::wall, &Spread::worst); }},
        {"span_us", [](Row r) { return time_of_runs(r, &RunTimes::span, &Spread::median); }},
        {"span_p99_us", [](Row r) { return time_of_runs(r, &RunTimes::span, &Spread::p99); }},
        {"span_p999_us", [](Row r) { return time_of_runs(r, &RunTimes::span, &Spread::p999); }},
        {"span_worst_us", [](Row r) { return time_of_runs(r, &RunTimes::span, &Spread::worst); }},
        {"next_us", [](Row r) { return time_of_runs(r, &RunTimes::next, &Spread::median); }},
        {"next_p99_us", [](Row r) { return time_of_runs(r, &RunTimes::next, &Spread::p99); }},
        {"next_p999_us", [](Row r) { return time_of_runs(r, &RunTimes::next, &Spread::p999); }},
        {"next_worst_us", [](Row r) { return time_of_runs(r, &RunTimes::next, &Spread::worst); }},
        {"host_us", [](Row r) { return r.sample.runs ? fmt::format("{:.3f}", r.sample.runs->host_us) : ""; }},
        {"prepare_us", [](Row r) { return r.sample.wall_us ? number_or_empty(r.sample.prepare_us) : ""; }},
        {"submit", [](Row r) { return r.sample.gpu_us ? std::string(r.sample.held ? "held" : "open") : ""; }},
        {"sm_clock_mhz", [](Row r) { return text_or_empty(r.sample.gpu_state.sm_clock_mhz); }},
        {"memory_clock_mhz", [](Row r) { return text_or_empty(r.sample.gpu_state.memory_clock_mhz); }},
        {"temperature_c", [](Row r) { return text_or_empty(r.sample.gpu_state.temperature_c); }},
        {"power_w",
         [](Row r) {
             const auto power_mw = r.sample.gpu_state.power_mw;
             return power_mw ? fmt::format("{:.1f}", *power_mw / 1000.0) : "";
         }},
        {"throttle", [](Row r) { return r.sample.gpu_state.throttle; }},
        {"bytes", [](Row r) { return count_or_empty(bytes_moved(r.info, r.point)); }},
        {"bandwidth_gb_s", [](Row r) { return rate_or_empty(r.bandwidth.effective); }},
        {"peak_gb_s", [](Row r) { return rate_or_empty(r.bandwidth.peak); }},
        {"peak_share", [](Row r) { return share_or_empty(r.bandwidth.peak_share()); }},
        {"measured_gb_s", [](Row r) { return rate_or_empty(r.bandwidth.measured); }},
        {"measured_share", [](Row r) { return share_or_empty(r.bandwidth.measured_share()); }},
        {"l2_bytes", [](Row r) { return r.bandwidth.peak ? count_or_empty(r.run.device.l2_bytes) : ""; }},
        {"empty_kernel_us", [](Row r) { return r.run.untimed ? "" : fmt::format("{:.3f}", r.run.empty_kernel_us); }},
        {"latency_us", [](Row r) { return latency_text(r, median); }},
        {"latency_min_us", [](Row r) { return latency_text(r, [](auto v) { return std::ranges::min(v); }); }},
        {"latency_max_us", [](Row r) { return latency_text(r, [](auto v) { return std::ranges::max(v); }); }},
        {"latency_us_by_depth", latency_by_depth},
        {"timer_step_ns", [](Row r) { return r.run.untimed ? "" : std::to_string(r.run.timer_step_ns); }},
        {"host_launches", [](Row r) { return text_or_empty(r.sample.host_launches); }},
        {"launches_expected",
         [](Row r) {
             const ExpectedLaunches form = strategy_of(r.point).launches(r.point);
             return form.by_input ? whole_or_empty(r.sample.launches_expected) : std::to_string(form.total());
         }},
        {"launches_attempted", [](Row r) { return counted(r, &LaunchCounts::attempted); }},
        {"launches_failed", [](Row r) { return counted(r, &LaunchCounts::failed); }},
        {"launches_by_depth",
         [](Row r) {
             return r.sample.launches ? fmt::format("{}", fmt::join(r.sample.launches->attempted_by_depth, " ")) : "";
         }},
        {"max_depth", [](Row r) { return r.sample.launches ? std::to_string(r.sample.launches->max_depth) : ""; }},
        {"items_requested", [](Row r) { return requested(r, &RequestSample::items); }},
        {"launched",
         [](Row r) {
             return r.sample.requests && r.sample.launches
                        ? std::to_string(r.sample.launches->attempted - r.sample.launches->failed -
                                         (r.sample.requests->drains - r.sample.requests->drains_refused))
                        : "";
         }},
        {"replaced", [](Row r) { return requested(r, &RequestSample::replaced); }},
        {"drains", [](Row r) { return requested(r, &RequestSample::drains); }},
        {"child_blocks", [](Row r) { return requested(r, &RequestSample::child_blocks); }},
        {"arena_bytes", [](Row r) { return requested(r, &RequestSample::arena_bytes); }},
        {"work", [](Row r) { return whole_or_empty(r.sample.work); }},
        {"pixels_off", [](Row r) { return whole_or_empty(r.sample.pixels_off); }},
        {"answer", [](Row r) { return r.sample.answer; }},
        {"reference", [](Row r) { return r.sample.reference; }},
        {"relative_error",
         [](Row r) {
             return r.sample.relative_error && std::isfinite(*r.sample.relative_error)
                        ? fmt::format("{:.3g}", *r.sample.relative_error)
                        : "";
         }},
        {"status", [](Row r) { return std::string(name_of(r.sample.status)); }},
        {"detail", [](Row r) { return r.sample.detail; }},
        {"machine", [](Row r) { return r.run.machine; }},
        {"gpu", [](Row r) { return r.run.device.name; }},
        {"driver", [](Row r) { return r.run.device.driver; }},
        {"cuda", [](Row r) { return r.run.device.runtime; }},
        {"git", [](Row) { return std::string(kGit); }},
        {"utc", [](Row) { return utc_now(); }},
    };
    for (const Axis* axis : plain_axes_in_tables())
        if (std::ranges::find(others, axis->column, &LogColumn::name) == others.end())
            columns.push_back(column_of(*axis));
    std::ranges::move(others, std::back_inserter(columns));
    return columns;
}

struct LogTable {
    std::vector<LogColumn> columns = table_of_columns();
    std::vector<std::string> names = names_of(columns);

    static std::vector<std::string> names_of(const std::vector<LogColumn>& columns)
    {
        std::vector<std::string> found;
        for (const LogColumn& column : columns)
            found.emplace_back(column.name);
        return found;
    }
};

LogTable& table()
{
    static LogTable one;
    return one;
}

} // namespace

const std::vector<std::string>& columns()
{
    return table().names;
}

void keep_columns(const std::function<bool(const Axis&)>& is_needed)
{
    std::erase_if(table().columns, [&](const LogColumn& column) {
        const Axis* const axis = axis_of_column(column.name);
        return axis != nullptr && axis->of_user && !is_needed(*axis);
    });
    table().names = LogTable::names_of(table().columns);
}

double as_logged(double us)
{
    return std::stod(number_or_empty(us));
}

std::vector<std::string> row_of(const RunFacts& run, const Case& point, unsigned repetition, const Sample& sample)
{
    const StrategyInfo& info = strategy_of(point).info();
    const RowSource source{.run = run,
                           .point = point,
                           .repetition = repetition,
                           .sample = sample,
                           .info = info,
                           .mechanism = mechanism_of(info, point),
                           .bandwidth = bandwidth_of(info, point, sample, run.device, run.bandwidth)};
    std::vector<std::string> cells;
    for (const LogColumn& column : table().columns)
        cells.push_back(column.cell(source));
    return cells;
}

namespace
{
std::tm now()
{
    return fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
}
} // namespace

std::string new_run_id()
{
    return fmt::format("{:%Y%m%dT%H%M%SZ}-{}-{:08x}", now(), getpid(), std::random_device{}());
}

std::string new_run_id(unsigned shard, unsigned of)
{
    return fmt::format("{}-{}of{}", new_run_id(), shard, of);
}

std::string utc_now()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now());
}

} // namespace nestbed
