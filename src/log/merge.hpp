// Joining the logs of a plan's shards into one, as if one run had measured all. Pure.
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
    std::string manifest;                    // its path
    std::map<std::string, RunIdentity> runs; // all of its manifest, those of its rows among them
};

struct MissingCase {
    std::string settings; // settings_text()
    unsigned repetitions = 0;
    unsigned of = 0;
};

struct MergedLog {
    std::vector<const LogRow*> rows; // of the parts; in the order of the whole plan, then by repetition
    std::size_t cases = 0;           // that have rows
    std::size_t planned = 0;
    std::size_t machines = 0; // whose rows these are
    std::vector<MissingCase> missing;
};

// At least one part. Throws UsageError that names the files, and where it is about rows their lines, for runs of different experiments,
// versions or plans, for a row of no case of the plan, and for a duplicate repetition of a case; RunError that names file and
// line for cells that do not agree (RowCheck).
MergedLog merge_logs(const std::vector<LogPart>& parts);

// "2/4": shards of the first part's plan of which no part has a run; none if the runs do not say into how many it was divided.
std::vector<std::string> missing_shards(const std::vector<LogPart>& parts);

// The parts' files by the devices that they are of, in words (devices_text).
std::map<std::string, std::vector<std::string>> files_by_device(const std::vector<LogPart>& parts);

} // namespace nestbed
