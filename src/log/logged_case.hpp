// The case of a row, or of its settings in a manifest. Pure.
#pragma once

#include "log/parsed_log.hpp"
#include "model/case.hpp"

#include <string>

namespace nestbed
{

// Makes a case from the cells of a row. For wave and streams a row contains the values that were used, not those
// asked for. Throws RunError that names file and line for an impossible cell, and for an unknown strategy.
Case case_of_row(const ParsedLog& log, const LogRow& row);

// Makes a case from the text in a manifest: "strategy=nosync backend=cpu grid=4 ...", settings_text(). `place` is named
// in errors.
Case case_of_settings(const std::string& settings, const std::string& place);

} // namespace nestbed
