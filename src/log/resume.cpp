#include "log/resume.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "log/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace nestbed
{

namespace
{

const std::string& cell(const ParsedLog& log, const LogRow& row, std::string_view column)
{
    return row.cells[log.column(column)];
}

Status status_in(const ParsedLog& log, const LogRow& row)
{
    const std::string& text = cell(log, row, "status");
    for (const Status status : kStatuses)
        if (text == name_of(status))
            return status;
    throw RunError(fmt::format("{}:{}: status is '{}'; allowed: {}", log.path, row.line, text,
                               form_text(Form::status, nullptr)));
}

std::optional<double> number_in(const ParsedLog& log, const LogRow& row, std::string_view column)
{
    return cell(log, row, column).empty() ? std::nullopt : std::optional(log.number(row, column));
}

std::uint64_t count_in(const ParsedLog& log, const LogRow& row, std::string_view column)
{
    constexpr double kMax = 1e15; // a double represents whole numbers exactly up to this value
    const double number = log.number(row, column);
    if (number < 0 || number > kMax || number != static_cast<double>(static_cast<std::uint64_t>(number)))
        throw RunError(fmt::format("{}:{}: {} is '{}'; allowed: a whole number from 0", log.path, row.line, column,
                                   cell(log, row, column)));
    return static_cast<std::uint64_t>(number);
}

} // namespace

Sample sample_of(const ParsedLog& log, const LogRow& row)
{
    const auto has_value = [&](std::string_view column) {
        return log.has(column) && !cell(log, row, column).empty();
    };
    Sample sample{.status = status_in(log, row),
                  .detail = has_value("detail") ? cell(log, row, "detail") : "",
                  .gpu_us = number_in(log, row, "gpu_us"),
                  .wall_us = number_in(log, row, "wall_us")};
    if (has_value("wall_p99_us"))
        sample.runs = RunTimes{.wall = {.median = log.number(row, "wall_us"),
                                        .p99 = log.number(row, "wall_p99_us"),
                                        .p999 = log.number(row, "wall_p999_us"),
                                        .worst = log.number(row, "wall_worst_us")}};
    if (has_value("launches_attempted"))
        sample.launches = LaunchCounts{.attempted = count_in(log, row, "launches_attempted"),
                                       .failed = count_in(log, row, "launches_failed")};
    if (has_value("latency_us_by_depth"))
        for (const std::string& one : split(cell(log, row, "latency_us_by_depth"), ' '))
            sample.latencies_us.push_back(log.number(row, "latency_us_by_depth", one));
    sample.held = log.has("submit") && cell(log, row, "submit") == "held"; // older logs have no such column
    if (has_value("throttle"))
        sample.gpu_state.throttle = cell(log, row, "throttle");
    return sample;
}

unsigned repetition_of(const ParsedLog& log, const LogRow& row)
{
    return static_cast<unsigned>(
        std::min<std::uint64_t>(count_in(log, row, "repetition"), std::numeric_limits<unsigned>::max()));
}

void take_rows(const ParsedLog& log, const Plan& plan, std::vector<CaseResult>& results)
{
    std::unordered_map<std::string, CaseResult*> by_key;
    for (CaseResult& result : results)
        by_key.emplace(result.key, &result);
    RowCheck check(log);
    for (const LogRow& row : log.rows) {
        const std::string& key = cell(log, row, "key");
        const auto found = by_key.find(key);
        if (found == by_key.end())
            throw RunError(fmt::format(
                "{}:{}: there is no case {} in this run, to which the log belongs according to its manifest",
                log.path, row.line, key));
        check.check(row);
        CaseResult& result = *found->second;
        const unsigned repetition = repetition_of(log, row);
        const Repeats& repeats = plan.repeat.at(result.point.backend);
        if (repetition >= repeats.most)
            throw RunError(fmt::format("{}:{}: repetition is {}; allowed: from 0 to {}", log.path, row.line,
                                       cell(log, row, "repetition"), repeats.most - 1));
        if (result.repetitions.contains(repetition))
            throw RunError(
                fmt::format("{}:{}: case {} already has a repetition {}", log.path, row.line, key, repetition));
        const Sample sample = sample_of(log, row);
        result.add(repetition, sample, repeats);
    }
}

std::set<std::string> runs_of(const ParsedLog& log)
{
    if (log.rows.empty())
        return {};
    static_cast<void>(log.column("run_id"));
    const std::vector<std::string> runs = log.values_of("run_id");
    return {runs.begin(), runs.end()};
}

std::vector<std::string> reasons_not_to_resume(const std::map<std::string, RunIdentity>& there,
                                               const RunIdentity& here, bool elsewhere)
{
    std::vector<std::string> reasons;
    for (const auto& [run_id, record] : there) {
        std::vector<std::string> found =
            differences(record, here, elsewhere ? Differing::device : Differing::anything);
        if (!here.shard.empty() && record.shard != here.shard)
            found.push_back(
                fmt::format("shard: {} there, {} here", record.shard.empty() ? "all" : record.shard, here.shard));
        for (std::string& reason : found)
            if (std::ranges::find(reasons, reason) == reasons.end())
                reasons.push_back(std::move(reason));
    }
    return reasons;
}

} // namespace nestbed
