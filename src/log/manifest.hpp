// The manifest of a log: a JSON file beside the CSV that contains the whole environment once per run.
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

// False for standard output and for devices, which have no place for a file beside them.
bool has_manifest(const std::string& csv_path);
// The full name of the log followed by .json, so that no two logs share one: grid.csv.json, also for grid.csv.gz, and
// grid.gpu0.json for grid.gpu0. For a name without an extension, such as grid: grid.manifest.json.
std::string manifest_path(const std::string& csv_path);
// Throws UsageError if the place for the manifest of this CSV contains a file that is not a manifest.
void check_manifest(const std::string& csv_path);
// All runs in the manifest, including those without rows; empty if there is no manifest. Throws UsageError as
// check_manifest() does.
std::set<std::string> run_ids_in_manifest(const std::string& csv_path);
// These runs. What an earlier version did not record is empty. Throws UsageError as check_manifest() does, and for a run
// that is not in the manifest.
std::map<std::string, RunIdentity> runs_in_manifest(const std::string& csv_path,
                                                    const std::set<std::string>& run_ids);

// The identity of a run, and what it measures before its first case, for its manifest.
struct RunStart {
    std::string run_id;
    RunIdentity record;
    std::map<BackendKind, RunFacts> runs;
    std::map<BackendKind, DepthProbe> probes; // empty for an untimed run
    std::vector<std::string> command;
    std::size_t cases = 0;   // to be measured, including those that an earlier run has measured
    std::size_t samples = 0; // as for cases
};
// Adds a run, with the whole environment, to the manifest of a CSV. An untimed run has no probes, and its entry omits
// everything that is measured before the first case. Returns the text of the manifest. Throws RunError.
std::string write_manifest(const std::string& csv_path, const RunStart& start);

// The facts about the GPU of a run that plans of launches need. Those that an older version did not
// record follow from the compute capability (model/occupancy.hpp). Throws UsageError as runs_in_manifest() does, and
// if the run used no GPU, or the manifest lacks a fact.
DeviceFacts gpu_in_manifest(const std::string& csv_path, const std::string& run_id);

// The words of the command of a run; empty if the manifest does not contain them.
std::vector<std::string> command_in_manifest(const std::string& csv_path, const std::string& run_id);

// Whether the run has recorded that the log is complete. Throws as check_manifest() does.
bool has_finished(const std::string& csv_path, const std::string& run_id);

// The result of a run.
struct RunEnd {
    bool whole = true;                  // the log has all rows of the run's plan; false: the run was interrupted
    std::size_t rows = 0;               // written by this run
    std::size_t log_rows = 0;           // in the log, including those of other runs
    std::vector<std::string> surprises; // results that were not expected
    std::vector<std::string> incidents; // lost workers
};
// Records the result in the manifest. `as_begun` is the manifest's text when the run began, so that the manifest is there
// again if something has deleted or spoilt it. Throws RunError.
void end_manifest(const std::string& csv_path, const std::string& run_id, const RunEnd& end,
                  const std::string& as_begun);

// Writes the manifest of a merged log: all runs and plans of the manifests of these logs. Throws RunError.
void join_manifests(const std::string& csv_path, const std::vector<std::string>& csv_paths);

} // namespace nestbed
