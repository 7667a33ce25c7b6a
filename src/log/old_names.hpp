// What earlier versions wrote otherwise into their logs.
#pragma once

#include "log/parsed_log.hpp"

#include <string>
#include <string_view>

namespace nestbed
{

// A cell as this version would write it.
std::string current_cell(std::string_view column, const std::string& cell);

// Whether a case has the same key in both logs. A key is a hash of names, so that the old name of the NULL stream gave another one.
bool keys_agree(const ParsedLog& one, const ParsedLog& other);

} // namespace nestbed
