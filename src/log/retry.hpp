// Removes rows that are to be measured again from a log, and keeps the original log as a separate file.
#pragma once

#include "log/case_result.hpp"
#include "log/parsed_log.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace nestbed
{

struct RowsAside {
    std::size_t rows = 0; // number of rows removed
    std::string file;     // the copy of the original log; empty if the log is unchanged
};

// Copies the log file to a free name, FILE.old-1 or a later one, and then replaces it by one without the rows for
// which `failed` is true. `rows` are the rows of the log, and their cases are in `results`. At any time, one of the
// two files contains all rows. The caller holds the lock on the log (csv_log.hpp) and opens it again afterwards.
// Throws RunError if one of the files cannot be written; no row is then lost.
RowsAside back_up_failed_rows(const std::string& path, const ParsedLog& rows, const std::vector<CaseResult>& results,
                              const std::function<bool(const Case&, Status)>& failed);

} // namespace nestbed
