// Going on with a log: what it has already, and whether it is of the same experiment. Pure.
#pragma once

#include "log/case_result.hpp"
#include "log/parsed_log.hpp"
#include "log/run_identity.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

// The sample that a row was made of, as far as a summary needs it: status, times, how they were taken, launches, latencies (of a fan-out
// their median). Throws
// RunError that names file, line and column for a cell that cannot be.
Sample sample_of(const ParsedLog& log, const LogRow& row);

// Throws RunError likewise.
unsigned repetition_of(const ParsedLog& log, const LogRow& row);

// Puts every row into the case with its key. Throws RunError that names file and line for a row of no case, for a repetition past the
// plan's `repeat`, for a second row of one, and for cells that do not agree (RowCheck).
// RowCheck refuses a row that contradicts its case, itself, or its run in `runs`, those of the manifest.
void take_rows(const ParsedLog& log, const Plan& plan, std::vector<CaseResult>& results,
               const std::map<std::string, RunIdentity>& runs = {});

// The run_ids of the rows.
std::set<std::string> runs_of(const ParsedLog& log);

// Why the run cannot go on with a log whose manifest has these runs: a line for each thing that differs. Empty if it can.
// Another device of the same kind will do where `elsewhere`.
std::vector<std::string> reasons_not_to_resume(const std::map<std::string, RunIdentity>& there,
                                               const RunIdentity& here, bool elsewhere = false);

} // namespace nestbed
