// The manifest of a log: a JSON file beside the CSV that holds the whole environment once a run.
#pragma once

#include "log/run_identity.hpp"
#include "model/session.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

// False for standard output and for devices, which have no place beside them.
bool has_manifest(const std::string& csv_path);
std::string manifest_path(const std::string& csv_path);
// Throws UsageError when a file that is no manifest lies where the manifest of this CSV belongs.
void check_manifest(const std::string& csv_path);
// Of all runs of the manifest beside a CSV; none where there is no manifest. Throws UsageError as check_manifest() does.
std::set<std::string> run_ids_in_manifest(const std::string& csv_path);
// These runs of the manifest beside a CSV. Throws UsageError as check_manifest() does, for a run that is not in it, and for one of a nestbed
// that kept less.
std::map<std::string, RunIdentity> runs_in_manifest(const std::string& csv_path,
                                                    const std::set<std::string>& run_ids);

// What a run is, and what was measured before its first case, for its manifest.
struct RunStart {
    std::string run_id;
    RunIdentity record;
    std::map<BackendKind, RunFacts> runs;
    std::map<BackendKind, DepthProbe> probes; // none of an untimed run
    std::vector<std::string> command;
    std::size_t cases = 0;   // to be measured, those that an earlier run has measured among them
    std::size_t samples = 0; // likewise
};
// Adds a run to the manifest beside a CSV (its name with .json): the whole environment, once a run. Written
// to a temporary file and renamed. An untimed run has no probes and leaves out all that is measured before the first case.
// Throws RunError.
void write_manifest(const std::string& csv_path, const RunStart& start);

// One of the runs has noted that the log is whole. Throws as check_manifest() does.
bool has_finished_run(const std::string& csv_path);

// How a run ended.
struct RunEnd {
    bool whole = true;                  // the log has all rows of the run's plan now; false: the run was interrupted
    std::size_t rows = 0;               // of this run
    std::size_t log_rows = 0;           // of the log, other runs' among them
    std::vector<std::string> surprises; // what came out otherwise than expected
    std::vector<std::string> incidents; // workers that were lost
};
// Notes it in the manifest. Throws RunError.
void end_manifest(const std::string& csv_path, const std::string& run_id, const RunEnd& end);

// The manifest of a log that `parts` were joined into: all their runs and plans. Throws RunError.
void join_manifests(const std::string& csv_path, const std::vector<std::string>& parts);

} // namespace nestbed
