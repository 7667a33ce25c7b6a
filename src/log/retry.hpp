// Rows that are to be measured again: taken out of a log, which is kept aside as it was.
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
    std::size_t rows = 0; // that were taken out
    std::string file;     // what the log was before; empty where it is as it was
};

// Copies the file of a log, whose rows are `rows` and cases of `results`, to a free name, FILE.old-1 or a later one, and then replaces it by
// one without the rows that `failed` is true of: at any time all rows are in one of the two. The caller holds the log alone (csv_log.hpp),
// and opens it anew afterwards. Throws RunError when one of the files cannot be written; then the log is as it was.
RowsAside put_failed_aside(const ParsedLog& rows, const std::vector<CaseResult>& results,
                           const std::function<bool(const Case&, Status)>& failed);

} // namespace nestbed
