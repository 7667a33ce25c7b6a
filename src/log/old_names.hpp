// Differences between the logs of earlier versions and those of this version.
#pragma once

#include "log/parsed_log.hpp"

#include <string>
#include <string_view>

namespace nestbed
{

// Whether a log determines this value for its rows: it has the column, or it is from a time when only one value was
// possible.
bool is_known(const ParsedLog& log, std::string_view column);

// A cell of such a column as this version would write it.
std::string current_cell(const ParsedLog& log, const LogRow& row, std::string_view column);

// Whether a case has the same key in both logs. A key is a hash of names, so the old name of the NULL stream gave
// different keys.
bool keys_agree(const ParsedLog& one, const ParsedLog& other);

} // namespace nestbed
