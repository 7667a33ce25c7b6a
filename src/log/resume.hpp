// Resumes a log: which samples it already has, and whether it is of the same experiment. Pure.
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

// The sample of a row, as far as a summary needs it: status, times, how they were taken, launches, latencies (for a
// fan-out their median). Throws RunError that names file, line and column for an impossible cell.
Sample sample_of(const ParsedLog& log, const LogRow& row);

// Throws RunError likewise.
unsigned repetition_of(const ParsedLog& log, const LogRow& row);

// Adds every row to the case with its key. Throws RunError that names file and line for a row without a case, for a
// repetition beyond the plan's `repeat`, for a duplicate repetition, and for a cell without its form (RowCheck).
void take_rows(const ParsedLog& log, const Plan& plan, std::vector<CaseResult>& results);

// The run_ids in the rows.
std::set<std::string> runs_of(const ParsedLog& log);

// Why the run cannot resume a log whose manifest has these runs: one line for each difference. Empty if it can.
// `elsewhere`: another device of the same kind is allowed, and so are more repetitions than there.
std::vector<std::string> reasons_not_to_resume(const std::map<std::string, RunIdentity>& there,
                                               const RunIdentity& here, bool elsewhere = false);

} // namespace nestbed
