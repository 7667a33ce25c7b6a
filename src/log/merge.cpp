#include "log/merge.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "log/case_result.hpp"
#include "log/resume.hpp"
#include "log/row.hpp"
#include "log/row_check.hpp"
#include "plan/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::size_t kNamed = 5; // duplicates that a message lists

// The runs of the rows; for a log without rows, all runs in its manifest.
std::vector<const RunIdentity*> records_of(const LogPart& part)
{
    const std::set<std::string> with_rows = runs_of(part.log);
    std::vector<const RunIdentity*> records;
    for (const auto& [run_id, record] : part.runs)
        if (with_rows.empty() || with_rows.contains(run_id))
            records.push_back(&record);
    return records;
}

const RunIdentity& plan_of(const std::vector<LogPart>& parts)
{
    const std::vector<const RunIdentity*> records = records_of(parts.front());
    if (records.empty())
        throw UsageError(
            fmt::format("{}: its manifest has no run; allowed: the log of a run", parts.front().log.path));
    return *records.front();
}

void check_of_one_experiment(const std::vector<LogPart>& parts)
{
    const RunIdentity& first = plan_of(parts);
    for (const LogPart& part : parts)
        for (const RunIdentity* record : records_of(part))
            if (const std::vector<std::string> found = differences(first, *record, Differing::experiment);
                !found.empty())
                throw UsageError(
                    fmt::format("{}: it does not belong to {}: {}; allowed: logs of one experiment, by one "
                                "version of nestbed",
                                part.log.path, parts.front().log.path, fmt::join(found, "; ")));
}

// What is kept of a row.
struct PlacedRow {
    const LogPart* part = nullptr;
    std::size_t line = 0;
    std::string text; // as it is written
    Status status = Status::ok;
    std::optional<double> us = {}; // as in times_of()

    std::string place() const { return fmt::format("{}:{}", part->log.path, line); }
};

// The rows, by case of the plan and by repetition.
using PlacedRows = std::vector<std::map<unsigned, PlacedRow>>;

PlacedRows place(const std::vector<LogPart>& parts, const std::vector<PlannedCase>& cases)
{
    std::unordered_map<std::string, std::size_t> index_of; // by key
    for (std::size_t index = 0; index < cases.size(); ++index)
        index_of.emplace(cases[index].key, index);
    PlacedRows placed(cases.size());
    std::vector<std::string> twice; // at most kNamed of them
    std::size_t all_twice = 0;
    for (const LogPart& part : parts) {
        RowCheck check(part.log);
        for (const LogRow& row : part.log.rows) {
            const std::string& key = row.cells[part.log.column("key")];
            const auto found = index_of.find(key);
            if (found == index_of.end())
                throw UsageError(fmt::format("{}:{}: case {} is not in the plan of its manifest; allowed: "
                                             "rows of the run",
                                             part.log.path, row.line, key));
            check.check(row);
            const unsigned repetition = repetition_of(part.log, row);
            const Sample sample = sample_of(part.log, row);
            PlacedRow here{.part = &part,
                           .line = row.line,
                           .text = csv_line(row.cells),
                           .status = sample.status,
                           .us = sample.gpu_us ? sample.gpu_us : sample.wall_us};
            const auto [there, is_new] = placed[found->second].try_emplace(repetition, std::move(here));
            if (!is_new && ++all_twice <= kNamed)
                twice.push_back(fmt::format("case {} repetition {}: {} and {}:{}", key, repetition,
                                            there->second.place(), part.log.path, row.line));
        }
    }
    if (!twice.empty()) {
        const std::string more = all_twice > kNamed ? fmt::format("; and {} more", all_twice - kNamed) : "";
        throw UsageError(fmt::format("duplicate rows: {}{}; allowed: every row once", fmt::join(twice, "; "), more));
    }
    return placed;
}

} // namespace

MergedLog merge_logs(const std::vector<LogPart>& parts)
{
    check_of_one_experiment(parts);
    const std::vector<PlannedCase>& cases = plan_of(parts).cases;
    PlacedRows placed = place(parts, cases);
    MergedLog merged{.text = csv_line(columns()), .planned = cases.size()};
    std::set<std::string> machines;
    for (const LogPart& part : parts)
        for (std::string& machine : part.log.values_of("machine"))
            machines.insert(std::move(machine));
    for (std::size_t index = 0; index < cases.size(); ++index) {
        CaseResult result{.planned = cases[index].repeat.least};
        for (auto& [repetition, here] : placed[index]) {
            merged.text += std::exchange(here.text, {});
            ++merged.rows;
            result.add(repetition, {.status = here.status, .wall_us = here.us}, cases[index].repeat);
        }
        const auto rows = static_cast<unsigned>(placed[index].size());
        merged.cases += rows != 0 ? 1 : 0;
        if (!result.complete)
            merged.missing.push_back({cases[index].settings, result.planned - rows, result.planned});
    }
    merged.machines = machines.size();
    return merged;
}

std::vector<std::string> missing_shards(const std::vector<LogPart>& parts)
{
    const RunIdentity& first = plan_of(parts);
    std::set<unsigned> there;
    std::optional<unsigned> of;
    for (const LogPart& part : parts)
        for (const auto& [run_id, record] : part.runs) {
            if (!differences(first, record, Differing::experiment).empty()) // another experiment, no rows
                continue;
            if (record.shard.empty())
                return {};
            const Shard shard = parse_shard(record.shard);
            if (of.value_or(shard.of) != shard.of)
                return {};
            of = shard.of;
            there.insert(shard.number);
        }
    std::vector<std::string> missing;
    for (unsigned number = 1; number <= of.value_or(0); ++number)
        if (!there.contains(number))
            missing.push_back(name_of(Shard{number, *of}));
    return missing;
}

std::map<std::string, std::vector<std::string>> files_by_device(const std::vector<LogPart>& parts)
{
    std::map<std::string, std::vector<std::string>> files;
    for (const LogPart& part : parts) {
        std::set<std::string> devices;
        for (const RunIdentity* record : records_of(part))
            devices.insert(devices_text(*record));
        for (const std::string& device : devices)
            files[device].push_back(part.log.path);
    }
    return files;
}

} // namespace nestbed
