// The manifest of a log: a JSON file beside the CSV that holds the whole environment once a run.
#pragma once

#include "plan.hpp"
#include "row.hpp"
#include "session.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

// False for standard output and for devices, which have no place beside them.
bool has_manifest(const std::string& csv_path);
std::string manifest_path(const std::string& csv_path);
// Throws UsageError when a file that is no manifest lies where the manifest of this CSV belongs.
void check_manifest(const std::string& csv_path);
// Adds a run to the manifest beside a CSV (its name with .json): the whole environment, once a run. Written
// to a temporary file and renamed. An untimed run has no probes and leaves out all that is measured before the first case.
// Throws RunError.
void write_manifest(const std::string& csv_path, const Plan& plan, const std::map<BackendKind, RunFacts>& runs,
                    const std::map<BackendKind, DepthProbe>& probes, const std::vector<std::string>& command);
// Notes in the manifest that a run has measured all it planned, how many rows that was, and what came out otherwise than expected.
// Throws RunError.
void finish_manifest(const std::string& csv_path, const std::string& run_id, std::size_t rows,
                     const std::vector<std::string>& surprises);

} // namespace nestbed
