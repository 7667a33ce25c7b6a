// What earlier versions wrote otherwise into their logs, or did not write.
#pragma once

#include "log/parsed_log.hpp"

#include <string>
#include <string_view>

namespace nestbed
{

// Whether a log says this of its rows: by a column, or by being older than it, when there was but one value.
bool can_say(const ParsedLog& log, std::string_view column);

// A cell of such a column as this version would write it.
std::string current_cell(const ParsedLog& log, const LogRow& row, std::string_view column);

// Whether a case has the same key in both logs. A key is a hash of names, so that the old name of the NULL stream gave another one.
bool keys_agree(const ParsedLog& one, const ParsedLog& other);

} // namespace nestbed
