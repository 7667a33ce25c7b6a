// Logs that a command reads.
#pragma once

#include "cli/arguments.hpp"
#include "log/case_result.hpp"
#include "log/parsed_log.hpp"
#include "log/run_identity.hpp"
#include "run/reference_times.hpp"

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

// Leaves out a partial last row, which a run is still writing or could not complete, and says so on `err`. Throws
// UsageError for a folder, RunError if the file cannot be read or is not a CSV.
ParsedLog read_log(const std::string& path, std::ostream& err);

// The runs of the log's manifest. Empty without a manifest, or with that of another log: then only the rows are used.
// Throws RunError for a manifest that has some of the log's runs, but not all.
std::map<std::string, RunIdentity> runs_of_manifest(const ParsedLog& log);

// Throws UsageError if there are reasons not to resume a log (log/resume.hpp).
void expect_to_be_resumable(const std::string& path, const std::vector<std::string>& reasons);

// The cases of a log that is about to be overwritten, for their times. Empty if it cannot be read.
std::vector<CaseResult> cases_to_overwrite(const std::string& path);
// The option of a table for the times of another log, and that log; empty without the option. Throws UsageError if it
// is given more than once, otherwise as the functions above.
Option reference_option();
std::optional<ReferenceTimes> reference_log(const Given& given, std::ostream& err);

} // namespace nestbed
