// Checks that the rows of a log have the cells that a run writes: each cell has its form (cell_form.hpp), and cells
// agree with each other (row_rules.hpp), with their case (case_rules.hpp), and with their run (run_rules.hpp). An edited
// row then does not pass as a measured one. A row with a wrong answer is a finding, not an error here. Pure.
#pragma once

#include "log/case_rules.hpp"
#include "log/parsed_log.hpp"
#include "log/row_cells.hpp"
#include "log/run_identity.hpp"
#include "log/run_rules.hpp"
#include "model/sample.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

// Throws RunError that names file and line for an unknown status.
Status status_of(const ParsedLog& log, const LogRow& row);

// Checks the rows of one log after another. Rows of a case must agree with those of the logs before, too.
class RowCheck
{
  public:
    // The rows that follow are of this log. `runs` are those of its manifest; without one, the rules about it do not
    // apply. Log and runs must outlive the object.
    void begin(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs);
    // Throws RunError that names file, line and column, the cell, and what is allowed or expected. Columns that the log
    // does not have are not checked.
    void check(const LogRow& row);
    // The same, and for a repetition of a case that its run already has.
    void check_once(const LogRow& row);

  private:
    std::optional<RowCells> cells_;
    CaseRules cases_;
    RunRules runs_;
};

// All rules, for the documents: the columns, and what they must satisfy.
std::vector<RuleText> all_row_rules();

} // namespace nestbed
