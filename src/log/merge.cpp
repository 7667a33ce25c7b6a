#include "log/merge.hpp"

#include "base/error.hpp"
#include "log/case_result.hpp"
#include "log/resume.hpp"
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

struct PlacedRow {
    const LogPart* part = nullptr;
    const LogRow* row = nullptr;

    std::string place() const { return fmt::format("{}:{}", part->log.path, row->line); }
};

// The rows, by case of the plan and by repetition.
using PlacedRows = std::vector<std::map<unsigned, PlacedRow>>;

PlacedRows place(const std::vector<LogPart>& parts, const std::vector<PlannedCase>& cases)
{
    std::unordered_map<std::string, std::size_t> index_of;
    for (std::size_t index = 0; index < cases.size(); ++index)
        index_of.emplace(cases[index].key, index);
    PlacedRows placed(cases.size());
    std::vector<std::string> twice;
    RowCheck check;
    for (const LogPart& part : parts)
        for (const LogRow& row : part.log.rows) {
            const std::string& key = row.cells[part.log.column("key")];
            const auto found = index_of.find(key);
            if (found == index_of.end())
                throw UsageError(fmt::format("{}:{}: case {} is not in the plan of its manifest; allowed: "
                                             "rows of the run",
                                             part.log.path, row.line, key));
            const unsigned repetition = repetition_of(part.log, row);
            check.check_row(part.log, row, cases[found->second].settings);
            RowCheck::check_run(part.log, row, part.runs);
            const PlacedRow here{&part, &row};
            const auto [there, is_new] = placed[found->second].emplace(repetition, here);
            if (!is_new)
                twice.push_back(fmt::format("case {} repetition {}: {} and {}", key, repetition,
                                            there->second.place(), here.place()));
        }
    if (!twice.empty()) {
        const std::size_t named = std::min(kNamed, twice.size());
        const std::string more = twice.size() > named ? fmt::format("; and {} more", twice.size() - named) : "";
        twice.resize(named);
        throw UsageError(fmt::format("duplicate rows: {}{}; allowed: every row once", fmt::join(twice, "; "), more));
    }
    return placed;
}

} // namespace

MergedLog merge_logs(const std::vector<LogPart>& parts)
{
    check_of_one_experiment(parts);
    const std::vector<PlannedCase>& cases = plan_of(parts).cases;
    const PlacedRows placed = place(parts, cases);
    MergedLog merged{.planned = cases.size()};
    std::set<std::string> machines;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        CaseResult result{.planned = cases[index].repeat.least};
        for (const auto& [repetition, here] : placed[index]) {
            merged.rows.push_back(here.row);
            machines.insert(here.row->cells[here.part->log.column("machine")]);
            result.add(repetition, sample_of(here.part->log, *here.row), cases[index].repeat);
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
