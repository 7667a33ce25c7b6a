// A comparison of two logs (compare.hpp) as text, for people.
#pragma once

#include "inspect/compare.hpp"

#include <string>

namespace nestbed
{

// `tolerance` is a share: 0.05 for 5 %.

// Names the logs, prints one line per case that is in both logs, and summarises the result.
std::string compare_text(const Comparison& comparison, const ParsedLog& before, const ParsedLog& after,
                         double tolerance);
// States the number of regressions and the worst one; empty if there is none.
std::string regressions_text(const Comparison& comparison, double tolerance);

} // namespace nestbed
