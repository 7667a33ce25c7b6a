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
// The whole name of the log with .json behind it, so that no two logs share one: grid.gpu0 has grid.gpu0.json.
std::string
manifest_path(const std::string& csv_path); // grid.csv.json; of a name without an ending grid.manifest.json
// Where earlier versions wrote it: grid.json for grid.csv, and for grid.gpu0 too. It is read and never written.
std::string old_manifest_path(const std::string& csv_path);
// The manifest of a log that has rows of these runs: the one of the old name where none has the new name and the old one has all these
// runs; else the new name, also where there is none.
std::string manifest_of(const std::string& csv_path, const std::set<std::string>& run_ids);
// Throws UsageError when a file that is no manifest lies where the manifest of this CSV belongs.
void check_manifest(const std::string& csv_path);
// Of all runs of manifest_of(), also those that have no rows; none where there is no manifest. Throws UsageError as check_manifest() does.
std::set<std::string> run_ids_in_manifest(const std::string& csv_path, const std::set<std::string>& run_ids);
// These runs of manifest_of(). Throws UsageError as check_manifest() does, for a run that is not in it, and for one of a nestbed that kept
// less.
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
// Adds a run to the manifest of a CSV that has rows of the runs `earlier`: the whole environment, once a run. Where that manifest has
// the old name, it is copied to the new one. An untimed run has no probes and leaves out all that is measured before the first case.
// Returns the text of the manifest. Throws RunError.
std::string write_manifest(const std::string& csv_path, const RunStart& start,
                           const std::set<std::string>& earlier = {});

// The words of the command of a run of manifest_of(); none where it does not say.
std::vector<std::string> command_in_manifest(const std::string& csv_path, const std::string& run_id);

// The run, of manifest_of(), has noted that the log is whole. Throws as check_manifest() does.
bool has_finished(const std::string& csv_path, const std::string& run_id);

// Writes the manifest again, as write_manifest() returned it, where there is none any more or something else is in its place: without it a
// log cannot be resumed. Throws RunError.
void keep_manifest(const std::string& csv_path, const std::string& as_begun);

// How a run ended.
struct RunEnd {
    bool whole = true;                  // the log has all rows of the run's plan now; false: the run was interrupted
    std::size_t rows = 0;               // of this run
    std::size_t log_rows = 0;           // of the log, other runs' among them
    std::vector<std::string> surprises; // what came out otherwise than expected
    std::vector<std::string> incidents; // workers that were lost
};
// Notes it in the manifest. `as_begun` is the manifest's text when the run began: what is missing of it is written again, and the whole
// of it where the manifest was deleted or is none any more. Throws RunError.
void end_manifest(const std::string& csv_path, const std::string& run_id, const RunEnd& end,
                  const std::string& as_begun);

// The manifest of a log that logs with these manifests were joined into: all their runs and plans. Throws RunError.
void join_manifests(const std::string& csv_path, const std::vector<std::string>& manifests);

} // namespace nestbed
