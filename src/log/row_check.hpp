// Checks that the cells of a row agree with its case and with each other, so that an edited row does not pass as a
// measured one. A row with a wrong answer is a finding, not an error here. Pure.
#pragma once

#include "log/parsed_log.hpp"
#include "log/run_identity.hpp"
#include "model/sample.hpp"

#include <map>
#include <string>

namespace nestbed
{

// Throws RunError that names file and line for an unknown status.
Status status_of(const ParsedLog& log, const LogRow& row);

// Checks the rows of one log, or of several logs that are merged.
class RowCheck
{
  public:
    // Throws RunError that names file, line and column, the cell and what was expected, for each of these:
    // - a row that is ok has failed launches, another number of launches than expected, an answer other than the
    //   reference (float32: outside the loosest rule of reduce_reference.hpp), or no time although its run is timed;
    // - a row that is not ok has times;
    // - the relative error is not that of answer and reference;
    // - a cell that must be a number or empty is neither;
    // - another row with the same key has a different reference.
    // Columns that the log does not have are not checked.
    void check_cells(const ParsedLog& log, const LogRow& row);

    // Compares program and device with those in the manifest for the row's run. Does nothing if `runs` does not
    // contain the run or its manifest does not record them.
    static void check_run(const ParsedLog& log, const LogRow& row, const std::map<std::string, RunIdentity>& runs);

    // check_cells(), and the cells of the case against `settings`: the settings_text() of the case with the row's key
    // in the plan.
    void check_row(const ParsedLog& log, const LogRow& row, const std::string& settings);

  private:
    struct Reference {
        std::string text;
        std::string place; // file and line
    };
    std::map<std::string, Reference> references_; // by key
};

} // namespace nestbed
