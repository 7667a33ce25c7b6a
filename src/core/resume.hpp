// Going on with a log: what it has already, and whether it is of the same experiment. Pure.
#pragma once

#include "log_rows.hpp"
#include "run_record.hpp"
#include "runner.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

// The sample that a row was made of, as far as a summary needs it: status, times, launches, latencies (of a fan-out their median). Throws
// RunError that names file, line and column for a cell that cannot be.
Sample sample_of(const LogRows& log, const LogRow& row);

// Throws RunError likewise.
unsigned repetition_of(const LogRows& log, const LogRow& row);

// Puts every row into the case with its key. Throws RunError that names file and line for a row of no case, for a repetition past the
// plan's `repeat`, and for a second row of one.
void take_rows(const LogRows& log, const Plan& plan, std::vector<CaseResult>& results);

// The run_ids of the rows.
std::set<std::string> runs_of(const LogRows& log);

// Why the run cannot go on with a log whose manifest has these runs: a line for each thing that differs. Empty if it can.
// Another device of the same kind will do where `elsewhere`.
std::vector<std::string> reasons_not_to_resume(const std::map<std::string, RunRecord>& there, const RunRecord& here,
                                               bool elsewhere = false);

} // namespace nestbed
