// A derived cell is compared with the numbers that its sources stand for: a source was rounded when it was written.
#include "log/time_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

constexpr double kHalfNanosecond = 0.0005; // us, of a time with three decimals
constexpr double kFuzz = 1e-9;             // share, of the arithmetic

void check_times(const RowCells& row)
{
    for (const std::size_t column : {"gpu_us"_column, "wall_us"_column}) {
        if (row.has_value(column) && !is_ok(row))
            row.refuse(column, fmt::format("nothing, as the status is {}", row.at("status"_column)));
        if (row.has_value(column) && !(row.number(column) > 0))
            row.refuse(column, "a number above 0");
    }
}

void check_timed(const RowCells& row)
{
    if (is_ok(row) && row.has("wall_us"_column) && !row.has_value("wall_us"_column) &&
        row.has_value("floor_us"_column))
        row.refuse("wall_us"_column, "a number above 0, as the status is ok");
}

void check_prepare_time(const RowCells& row)
{
    if (row.has_value("prepare_us"_column) && !row.has_value("wall_us"_column))
        row.refuse("prepare_us"_column, "nothing, as there is no wall_us");
}

void check_gpu_time(const RowCells& row)
{
    if (row.has_value("gpu_us"_column) && on_executor(row))
        row.refuse("gpu_us"_column, "nothing, as the backend is cpu");
}

void check_submit(const RowCells& row)
{
    if (!row.has("submit"_column) || !row.has("gpu_us"_column)) // the log is older than this column
        return;
    if (!row.has_value("gpu_us"_column) && row.has_value("submit"_column))
        row.refuse("submit"_column, "nothing, as there is no gpu_us");
    if (row.has_value("gpu_us"_column) && !row.has_value("submit"_column))
        row.refuse("submit"_column, "held or open, of gpu_us");
    if (row.at("submit"_column) == "held" && row.has_value("submit_asked"_column) &&
        row.at("submit_asked"_column) != "held")
        row.refuse("submit"_column, "open, as submit_asked");
}

// Both times are of one run then. Two clocks may differ by a little.
void check_open_times(const RowCells& row)
{
    constexpr double kClocks = 1e-3;
    if (row.at("submit"_column) == "open" && row.has_value("wall_us"_column) &&
        row.number("wall_us"_column) < row.number("gpu_us"_column) * (1 - kClocks) - kHalfNanosecond)
        row.refuse("wall_us"_column,
                   fmt::format("at least {}, the gpu_us, as submit is open", row.at("gpu_us"_column)));
}

// --- rates ---

struct Span {
    double low = 0, high = 0;
};

// The rates that the row's bytes and time give, before they are rounded. A time stands for all that are rounded to it.
Span rates_of(const RowCells& row)
{
    constexpr double kBytesPerUsInGb = 1e-3;
    const double us = row.number(row.has_value("gpu_us"_column) ? "gpu_us"_column : "wall_us"_column);
    const double gb = row.number("bytes"_column) * kBytesPerUsInGb;
    return {gb / (us + kHalfNanosecond), us > kHalfNanosecond ? gb / (us - kHalfNanosecond) : HUGE_VAL};
}

// Half of the last digit of a rate: at least two decimals. Earlier versions wrote no more.
double half_digit(const std::string& rate)
{
    const std::size_t point = std::min(rate.find('.'), rate.size() - 1);
    return 0.5 * std::pow(10.0, -static_cast<double>(std::max<std::size_t>(2, rate.size() - 1 - point)));
}

bool is_within(double value, const Span& span, double rounding)
{
    return value >= (span.low - rounding) * (1 - kFuzz) && value <= (span.high + rounding) * (1 + kFuzz);
}

void check_bandwidth(const RowCells& row)
{
    if (!row.has("bandwidth_gb_s"_column) || !row.has("bytes"_column))
        return;
    const bool timed = row.has_value("gpu_us"_column) || row.has_value("wall_us"_column);
    if (!timed || !row.has_value("bytes"_column)) {
        if (row.has_value("bandwidth_gb_s"_column))
            row.refuse("bandwidth_gb_s"_column,
                       timed ? "nothing, as there are no bytes" : "nothing, as there is no time");
        return;
    }
    const Span rates = rates_of(row);
    const double rate = row.number("bandwidth_gb_s"_column);
    if (!is_within(rate, rates, half_digit(row.at("bandwidth_gb_s"_column))))
        row.refuse("bandwidth_gb_s"_column,
                   fmt::format("{:.{}f}, bytes {} in {} us", rates.low, rates.low < 1 ? 6 : 2, row.at("bytes"_column),
                               row.at(row.has_value("gpu_us"_column) ? "gpu_us"_column : "wall_us"_column)));
}

void check_share(const RowCells& row, std::size_t whole, std::size_t share)
{
    constexpr double kHalfShare = 0.00005; // four decimals
    if (!row.has(whole) || !row.has(share))
        return;
    const bool has_gpu_time = row.has_value("gpu_us"_column) && row.has_value("bandwidth_gb_s"_column);
    if (row.has_value(whole) && !has_gpu_time)
        row.refuse(whole, "nothing, as there is no bandwidth by gpu_us");
    if (row.has_value(share) != row.has_value(whole))
        row.refuse(share, row.has_value(whole)
                              ? fmt::format("a share of {}", row.at(whole))
                              : fmt::format("nothing, as there is no {}", kColumnForms.at(whole).column));
    if (!row.has_value(whole) || !row.has("bytes"_column))
        return;
    const Span rates = rates_of(row);
    const double of = row.number(whole);
    const double rounding = half_digit(row.at(whole));
    if (!is_within(row.number(share), {rates.low / (of + rounding), rates.high / (of - rounding)}, kHalfShare))
        row.refuse(share, fmt::format("{:.4f}, bandwidth_gb_s {} of {} {}", rates.low / of,
                                      row.at("bandwidth_gb_s"_column), kColumnForms.at(whole).column, row.at(whole)));
}

void check_shares(const RowCells& row)
{
    check_share(row, "peak_gb_s"_column, "peak_share"_column);
    check_share(row, "measured_gb_s"_column, "measured_share"_column);
    if (row.has_value("l2_bytes"_column) && row.has("peak_gb_s"_column) && !row.has_value("peak_gb_s"_column))
        row.refuse("l2_bytes"_column, "nothing, as there is no peak_gb_s");
}

void check_device_state(const RowCells& row)
{
    if (!on_executor(row))
        return;
    for (const std::size_t column : {"sm_clock_mhz"_column, "memory_clock_mhz"_column, "temperature_c"_column,
                                     "power_w"_column, "throttle"_column})
        if (row.has_value(column))
            row.refuse(column, "nothing, as the backend is cpu");
}

// --- latencies ---

std::vector<double>& numbers_in(std::string_view text)
{
    thread_local std::vector<double> numbers; // for all rows: most lists of a log have the same length
    numbers.clear();
    for (const char* at = text.data(); at < text.data() + text.size(); ++at) {
        double number = 0;
        at = std::from_chars(at, text.data() + text.size(), number).ptr;
        numbers.push_back(number);
    }
    return numbers;
}

void check_latencies(const RowCells& row)
{
    constexpr std::array kAll{"latency_us"_column, "latency_min_us"_column, "latency_max_us"_column,
                              "latency_us_by_depth"_column};
    const bool has_latency = row.has_value("latency_us"_column);
    for (const std::size_t column : kAll)
        if (row.has(column) && row.has("latency_us"_column) && row.has_value(column) != has_latency)
            row.refuse(column,
                       has_latency ? "a number, as there is a latency_us" : "nothing, as there is no latency_us");
    if (!has_latency)
        return;
    const double latency = row.number("latency_us"_column);
    if (row.number("latency_min_us"_column) > latency)
        row.refuse("latency_min_us"_column, fmt::format("at most {}, the latency_us", row.at("latency_us"_column)));
    if (row.number("latency_max_us"_column) < latency)
        row.refuse("latency_max_us"_column, fmt::format("at least {}, the latency_us", row.at("latency_us"_column)));
    if (!row.has_value("latency_us_by_depth"_column))
        return;
    constexpr double kRounding = 0.0055 + 1e-4; // two decimals there, three here
    std::vector<double>& numbers = numbers_in(row.at("latency_us_by_depth"_column));
    std::ranges::sort(numbers);
    const std::size_t half = numbers.size() / 2;
    const double median = numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
    if (std::abs(median - latency) > kRounding)
        row.refuse("latency_us"_column, fmt::format("{:.2f}, the median of latency_us_by_depth", median));
    if (numbers.size() == 1) // the median of all launches of a level
        return;
    for (const auto& [column, number] :
         {std::pair("latency_min_us"_column, numbers.front()), std::pair("latency_max_us"_column, numbers.back())})
        if (row.has_value(column) && std::abs(row.number(column) - number) > kRounding)
            row.refuse(column, fmt::format("{:.2f}, as in latency_us_by_depth", number));
}

// --- runs ---

// Column by column from the smallest on: the median, p99, p99.9 and the worst.
void check_spread(const RowCells& row, const std::array<std::size_t, 4>& columns)
{
    const bool many = row.has_value("wall_p99_us"_column);
    for (std::size_t place = 0; place < columns.size(); ++place) {
        const std::size_t column = columns.at(place);
        if (column != "wall_us"_column && row.has(column) && row.has_value(column) != many)
            row.refuse(column, many ? "a number, as there is a wall_p99_us" : "nothing, as there is no wall_p99_us");
        if (many && place > 0 && row.number(column) < row.number(columns.at(place - 1)))
            row.refuse(column, fmt::format("at least {}, the {}", row.at(columns.at(place - 1)),
                                           kColumnForms.at(columns.at(place - 1)).column));
    }
}

void check_runs(const RowCells& row)
{
    if (!row.has("wall_p99_us"_column)) // the log is older than these columns
        return;
    check_spread(row, {"wall_us"_column, "wall_p99_us"_column, "wall_p999_us"_column, "wall_worst_us"_column});
    check_spread(row, {"span_us"_column, "span_p99_us"_column, "span_p999_us"_column, "span_worst_us"_column});
    check_spread(row, {"next_us"_column, "next_p99_us"_column, "next_p999_us"_column, "next_worst_us"_column});
    const bool many = row.has_value("wall_p99_us"_column);
    if (row.has("host_us"_column) && row.has_value("host_us"_column) != many)
        row.refuse("host_us"_column,
                   many ? "a number, as there is a wall_p99_us" : "nothing, as there is no wall_p99_us");
    if (many && !is_ok(row))
        row.refuse("wall_p99_us"_column, fmt::format("nothing, as the status is {}", row.at("status"_column)));
    if (many && row.has_value("gpu_us"_column))
        row.refuse("gpu_us"_column, "nothing, as the times are those of many runs");
}

constexpr auto kTimeRules = std::to_array<RowRule>({
    {"gpu_us, wall_us", "above 0, and empty unless the status is `ok`", check_times},
    {"wall_us", "there is one if the status is `ok`, unless the run is untimed: then `floor_us` is empty too",
     check_timed},
    {"prepare_us", "only with a `wall_us`", check_prepare_time},
    {"gpu_us", "empty on the executor", check_gpu_time},
    {"submit", "there is one where there is a `gpu_us`; `held` only if `submit_asked` is", check_submit},
    {"wall_us, submit", "at least `gpu_us` but for a thousandth, if `submit` is `open`: both are of one run",
     check_open_times},
    {"bandwidth_gb_s", "`bytes` over `gpu_us` (over `wall_us` without it); empty without bytes or time",
     check_bandwidth},
    {"peak_share, measured_share",
     "`bandwidth_gb_s` over `peak_gb_s` and `measured_gb_s`; all of them, and `l2_bytes`, "
     "only with a `gpu_us`",
     check_shares},
    {"sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, throttle", "empty on the executor", check_device_state},
    {"latency_us, latency_min_us, latency_max_us", "median, least and most of `latency_us_by_depth`; all or none",
     check_latencies},
    {"wall_p99_us, span_us, next_us, host_us and their like",
     "all or none; only if the status is `ok`, and without a `gpu_us`; a higher quantile is not smaller", check_runs},
});

} // namespace

std::span<const RowRule> time_rules()
{
    return kTimeRules;
}

} // namespace nestbed
