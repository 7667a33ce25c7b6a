#include "log/row_check.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

// Gives the cells of a row; empty if the log does not have the column.
struct Cells {
    const ParsedLog& log;
    const LogRow& row;

    std::string at(std::string_view column) const { return log.has(column) ? row.cells[log.column(column)] : ""; }
    double number(std::string_view column) const { return log.number(row, column); }
    [[noreturn]] void refuse(std::string_view column, const std::string& expected) const
    {
        throw RunError(
            fmt::format("{}:{}: {} is '{}'; expected: {}", log.path, row.line, column, at(column), expected));
    }
};

// --- the case ---

// Columns with the value that was used, not the one asked for.
bool is_as_launched(const Axis& axis)
{
    return axis.name == "wave" || axis.name == "streams";
}

std::map<std::string, std::string> settings_in(const std::string& text)
{
    std::map<std::string, std::string> settings;
    for (const std::string& one : split(text, ' ')) {
        const std::size_t equals = one.find('=');
        settings[one.substr(0, equals)] = equals == std::string::npos ? "" : one.substr(equals + 1);
    }
    return settings;
}

// The cells that an axis may have with the settings of the case. An axis without a setting has its default or does
// not apply.
std::vector<std::string> cells_of_axis(const Axis& axis, const std::map<std::string, std::string>& settings)
{
    if (const auto said = settings.find(std::string(axis.name)); said != settings.end())
        return {said->second};
    if (axis.name == "mechanism")
        return {std::string(name_of(Mechanism::none))};
    if (axis.name == "elements" && settings.contains("nx"))
        return {std::to_string(std::stoull(settings.at("nx")) * std::stoull(settings.at("ny")))};
    return {"", axis.usual ? text_of(axis, axis.usual) : std::string(axis.range.word)};
}

void check_case(const Cells& cells, const std::string& text)
{
    if (const std::string key = key_of(text, cells.at("schedule")); key != cells.at("key"))
        cells.refuse("key", fmt::format("'{}', that of {} by schedule '{}'", key, text, cells.at("schedule")));
    const std::map<std::string, std::string> settings = settings_in(text);
    for (const Axis& axis : all_axes()) {
        if (is_as_launched(axis))
            continue;
        const std::vector<std::string> allowed = cells_of_axis(axis, settings);
        if (std::ranges::find(allowed, cells.at(axis.column)) == allowed.end())
            cells.refuse(axis.column, fmt::format("'{}', as in the case {}", allowed.back(), cells.at("key")));
    }
}

// --- the answer, the launches and the times ---

void check_relative_error(const Cells& cells)
{
    const double answer = cells.number("answer");
    const double reference = cells.number("reference");
    const double off = std::abs(answer - reference);
    const double share = off == 0 ? 0 : off / std::abs(reference);
    if (const std::string expected = fmt::format("{:.3g}", share); cells.at("relative_error") != expected)
        cells.refuse("relative_error", fmt::format("{}, of answer {} and reference {}", expected, cells.at("answer"),
                                                   cells.at("reference")));
}

// For a row that is ok.
void check_answer(const Cells& cells)
{
    if (!cells.log.has("reference") || cells.at("answer") == cells.at("reference"))
        return;
    const bool near = cells.at("type") == name_of(ElementType::float32) && !cells.at("relative_error").empty() &&
                      !cells.at("elements").empty();
    const double bound = near ? loosest_bound(cells.number("elements")) : 0;
    if (!near || std::abs(cells.number("answer") - cells.number("reference")) > bound * cells.number("reference"))
        cells.refuse("answer", fmt::format("{}{}, the reference, as the status is ok", cells.at("reference"),
                                           near ? fmt::format(" within a share of {:.3g}", bound) : ""));
}

// Launches by need that were refused are replaced; a tail launch that replaces some is a drain.
void check_replaced(const Cells& cells)
{
    const double attempted = cells.number("launches_attempted");
    const double drains = cells.number("drains");
    const double replaced = cells.number("replaced");
    const double expected = cells.number("launches_expected");
    if (attempted - drains != expected)
        cells.refuse("launches_attempted",
                     fmt::format("{:.0f}, launches_expected and drains, as the status is ok", expected + drains));
    if (cells.number("launched") + replaced != expected)
        cells.refuse("launched", fmt::format("{:.0f}, launches_expected without those replaced, as the status is ok",
                                             expected - replaced));
    if (const double failed = cells.number("launches_failed"); failed < replaced || failed > replaced + drains)
        cells.refuse("launches_failed", fmt::format("{:.0f} to {:.0f}, those replaced and the drains that were "
                                                    "refused, as the status is ok",
                                                    replaced, replaced + drains));
}

// For a row that is ok. A build without the ledger (kCountsLaunches) does not count launches.
void check_launches(const Cells& cells)
{
    const std::string attempted = cells.at("launches_attempted");
    const bool counted = !attempted.empty() && (attempted != "0" || !cells.at("launches_by_depth").empty());
    if (counted && !cells.at("replaced").empty())
        return check_replaced(cells);
    if (counted && cells.log.has("launches_expected") && attempted != cells.at("launches_expected"))
        cells.refuse("launches_attempted",
                     fmt::format("{}, which are expected, as the status is ok", cells.at("launches_expected")));
    if (const std::string failed = cells.at("launches_failed"); !failed.empty() && failed != "0")
        cells.refuse("launches_failed", "0, as the status is ok");
}

// Checks the columns without a rule of their own: each cell is a number or empty.
void check_numbers(const Cells& cells)
{
    for (const char* column : {"pending_limit",
                               "limit_bytes",
                               "wave",
                               "waves",
                               "streams",
                               "bytes",
                               "bandwidth_gb_s",
                               "peak_gb_s",
                               "peak_share",
                               "measured_gb_s",
                               "measured_share",
                               "l2_bytes",
                               "floor_us",
                               "latency_us",
                               "latency_min_us",
                               "latency_max_us",
                               "timer_step_ns",
                               "sm_clock_mhz",
                               "memory_clock_mhz",
                               "temperature_c",
                               "power_w",
                               "host_launches",
                               "launches_expected",
                               "launches_failed",
                               "max_depth",
                               "items_offered",
                               "launched",
                               "replaced",
                               "drains",
                               "child_blocks",
                               "arena_bytes",
                               "work",
                               "pixels_off"})
        if (!cells.at(column).empty())
            static_cast<void>(cells.number(column));
    if (const std::string text = cells.at("launches_by_depth"); !text.empty()) {
        double sum = 0;
        for (const std::string& one : split(text, ' '))
            sum += cells.log.number(cells.row, "launches_by_depth", one);
        if (sum != cells.number("launches_attempted"))
            cells.refuse("launches_attempted", fmt::format("{:.0f}, the sum of launches_by_depth", sum));
    }
}

// A timed run has floor_us in every row.
void check_times(const Cells& cells, bool ok)
{
    for (const char* column : {"gpu_us", "wall_us"}) {
        const std::string cell = cells.at(column);
        if (!ok && !cell.empty())
            cells.refuse(column, fmt::format("nothing, as the status is {}", cells.at("status")));
        if (!cell.empty() && !(cells.number(column) > 0))
            cells.refuse(column, "a number above 0");
    }
    if (ok && cells.log.has("wall_us") && cells.at("wall_us").empty() && !cells.at("floor_us").empty())
        cells.refuse("wall_us", "a number above 0, as the status is ok");
    if (!cells.log.has("submit")) // the log is older than this column
        return;
    const std::string submit = cells.at("submit");
    if (cells.at("gpu_us").empty() && !submit.empty())
        cells.refuse("submit", "nothing, as there is no gpu_us");
    if (!cells.at("gpu_us").empty() && submit != "held" && submit != "open")
        cells.refuse("submit", "held or open, of gpu_us");
}

} // namespace

Status status_of(const ParsedLog& log, const LogRow& row)
{
    const std::string& text = row.cells[log.column("status")];
    std::vector<std::string_view> names;
    for (const Status status : kStatuses) {
        if (text == name_of(status))
            return status;
        names.push_back(name_of(status));
    }
    throw RunError(
        fmt::format("{}:{}: status is '{}'; allowed: {}", log.path, row.line, text, fmt::join(names, ", ")));
}

void RowCheck::check_cells(const ParsedLog& log, const LogRow& row)
{
    const Cells cells{log, row};
    const bool ok = status_of(log, row) == Status::ok;
    if (ok) {
        check_launches(cells);
        check_answer(cells);
    }
    if (!cells.at("relative_error").empty())
        check_relative_error(cells);
    check_times(cells, ok);
    check_numbers(cells);
    const std::string reference = cells.at("reference");
    if (reference.empty() || cells.at("key").empty())
        return;
    const auto [first, is_new] = references_.try_emplace(
        cells.at("key"), Reference{.text = reference, .place = fmt::format("{}:{}", log.path, row.line)});
    if (!is_new && first->second.text != reference)
        cells.refuse("reference",
                     fmt::format("'{}', as in {} of the same case", first->second.text, first->second.place));
}

void RowCheck::check_run(const ParsedLog& log, const LogRow& row, const std::map<std::string, RunIdentity>& runs)
{
    const Cells cells{log, row};
    const auto found = runs.find(cells.at("run_id"));
    if (found == runs.end())
        return;
    const RunIdentity& run = found->second;
    const auto backend = run.backends.find(cells.at("backend"));
    if (backend == run.backends.end())
        cells.refuse("backend", fmt::format("one of run {}", found->first));
    const std::array<std::pair<std::string_view, const std::string*>, 6> said{
        {{"experiment", &run.experiment},
         {"git", &run.git},
         {"gpu", &backend->second.name},
         {"driver", &backend->second.driver},
         {"cuda", &backend->second.runtime},
         {"machine", &backend->second.machine}}};
    for (const auto& [column, value] : said)
        if (log.has(column) && !value->empty() && cells.at(column) != *value)
            cells.refuse(column, fmt::format("'{}', as in the manifest of run {}", *value, found->first));
}

void RowCheck::check_row(const ParsedLog& log, const LogRow& row, const std::string& settings)
{
    check_case({log, row}, settings);
    check_cells(log, row);
}

} // namespace nestbed
