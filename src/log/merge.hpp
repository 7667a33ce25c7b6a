// Merges the logs of a plan's shards into one, as if one run had measured everything. Pure.
#pragma once

#include "log/parsed_log.hpp"
#include "log/run_identity.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

struct LogPart {
    ParsedLog log;
    std::map<std::string, RunIdentity> runs; // all runs of the manifest, including those of the rows
};

struct MissingCase {
    std::string settings; // settings_text()
    unsigned repetitions = 0;
    unsigned of = 0;
};

struct MergedLog {
    std::string text; // the header, and the rows of the parts in the order of the whole plan, then by repetition
    std::size_t rows = 0;
    std::size_t cases = 0; // number of cases with rows
    std::size_t planned = 0;
    std::size_t machines = 0; // number of machines that measured the rows
    std::vector<MissingCase> missing;
};

// Takes at least one part. Throws UsageError that names the files (and lines, for rows) for runs of different
// experiments, versions or plans, for a row whose case is not in the plan, and for a duplicate repetition of a case.
// Throws RunError that names file and line for a cell without its form (RowCheck).
MergedLog merge_logs(const std::vector<LogPart>& parts);

// Such as "2/4": shards of the first part's plan for which no part has a run; empty if the number of shards is not
// recorded.
std::vector<std::string> missing_shards(const std::vector<LogPart>& parts);

// The files of the parts by the text for their devices (devices_text).
std::map<std::string, std::vector<std::string>> files_by_device(const std::vector<LogPart>& parts);

} // namespace nestbed
