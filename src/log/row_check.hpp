// Whether the cells of a row agree: with its case, and with each other. A row that was edited does not go on as one that was measured.
// That a row is wrong is a finding, and no error here. Pure.
#pragma once

#include "log/parsed_log.hpp"
#include "log/run_identity.hpp"
#include "model/sample.hpp"

#include <map>
#include <string>

namespace nestbed
{

// Throws RunError that names file and line for a status that there is not.
Status status_of(const ParsedLog& log, const LogRow& row);

// Of the rows of one log, or of several that are joined.
class RowCheck
{
  public:
    // Throws RunError that names file, line and column, what is there and what is expected, where
    // - a row that is ok has launches that failed or are not as many as expected, an answer that is not the reference (float32: no
    //   farther from it than the loosest rule of reduce_reference.hpp allows), or no time although its run took times;
    // - a row that is not ok has times;
    // - the relative error is not that of answer and reference;
    // - a cell that is a number or empty is neither;
    // - another row with the same key has another reference.
    // What the log has no column for is not checked.
    void check_cells(const ParsedLog& log, const LogRow& row);

    // Program and device against what the manifest says of the row's run; nothing where `runs` has no such run, or it does not
    // say.
    static void check_run(const ParsedLog& log, const LogRow& row, const std::map<std::string, RunIdentity>& runs);

    // check_cells(), and the case's cells against `settings`, the settings_text() of the case that the plan has under the row's key.
    void check_row(const ParsedLog& log, const LogRow& row, const std::string& settings);

  private:
    struct Reference {
        std::string text;
        std::string place; // file and line
    };
    std::map<std::string, Reference> references_; // by key
};

} // namespace nestbed
