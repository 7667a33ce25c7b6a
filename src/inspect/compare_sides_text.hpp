// A comparison of two sides of a log (compare_sides.hpp) as text and as CSV.
#pragma once

#include "inspect/compare_sides.hpp"

#include <string>

namespace nestbed
{

// For people: the sides, a line per input, and how often which side is faster. `path` names the log.
std::string sides_text(const SidesComparison& comparison, const std::string& path, const LoggedCases& log);
// For programs: RFC 4180, one row per input.
std::string sides_csv(const SidesComparison& comparison);

} // namespace nestbed
