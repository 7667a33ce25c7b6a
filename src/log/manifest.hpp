// The manifest of a log: a JSON file beside the CSV that contains the whole environment once per run.
#pragma once

#include "log/log_place.hpp"
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
// The manifest of a log that has rows of these runs. The old name if no manifest with the new name exists and the old
// one contains all these runs; otherwise the new name, even if it does not exist.
std::string manifest_of(const std::string& csv_path, const std::set<std::string>& run_ids);
// Throws UsageError if the place for the manifest of this CSV contains a file that is not a manifest.
void check_manifest(const LogPlace& place);
// All runs in manifest_of(), including those without rows; empty if there is no manifest. Throws UsageError as
// check_manifest() does.
std::set<std::string> run_ids_in_manifest(const std::string& csv_path, const std::set<std::string>& run_ids);
// These runs from manifest_of(). Throws UsageError as check_manifest() does, for a run that is not in the manifest,
// and, if everything must be recorded, for a run of an older version that recorded less.
std::map<std::string, RunIdentity> runs_in_manifest(const std::string& csv_path, const std::set<std::string>& run_ids,
                                                    Recorded what = Recorded::everything);

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
// The functions that write take the manifest's place: whatever takes its name during a run is replaced, not followed.
//
// Adds a run, with the whole environment, to the manifest of a CSV that has rows of the runs `earlier`. If that
// manifest has the old name, its content is copied to the new name. An untimed run has no probes, and its entry omits
// everything that is measured before the first case. Returns the text of the manifest. Throws RunError.
std::string write_manifest(const LogPlace& place, const RunStart& start, const std::set<std::string>& earlier = {});

// The facts about the GPU of a run in manifest_of() that plans of launches need. Those that an older version did not
// record follow from the compute capability (model/occupancy.hpp). Throws UsageError as runs_in_manifest() does, and
// if the run used no GPU, or the manifest lacks a fact.
DeviceFacts gpu_in_manifest(const std::string& csv_path, const std::string& run_id);

// The words of the command of a run in manifest_of(); empty if the manifest does not contain them.
std::vector<std::string> command_in_manifest(const std::string& csv_path, const std::string& run_id);

// Whether the run, in manifest_of(), has recorded that the log is complete. Throws as check_manifest() does.
bool has_finished(const std::string& csv_path, const std::string& run_id);

// Writes the manifest again, as write_manifest() returned it, if it is missing or something else has replaced it: a
// log cannot be resumed without it. Throws RunError.
void keep_manifest(const LogPlace& place, const std::string& as_begun);

// The result of a run.
struct RunEnd {
    bool whole = true;                  // the log has all rows of the run's plan; false: the run was interrupted
    std::size_t rows = 0;               // written by this run
    std::size_t log_rows = 0;           // in the log, including those of other runs
    std::vector<std::string> surprises; // results that were not expected
    std::vector<std::string> incidents; // lost workers
};
// Records the result in the manifest. `as_begun` is the manifest's text when the run began: parts of it that are
// missing are written again, or all of it if the manifest was deleted or replaced, also by a link. Throws RunError.
void end_manifest(const LogPlace& place, const std::string& run_id, const RunEnd& end, const std::string& as_begun);

// Writes the manifest of a merged log: all runs and plans of these manifests. Throws RunError.
void join_manifests(const LogPlace& place, const std::vector<std::string>& manifests);

} // namespace nestbed
