// A comparison of two logs (compare.hpp) as a person reads it.
#pragma once

#include "inspect/compare.hpp"

#include <string>

namespace nestbed
{

// `tolerance` is a share: 0.05 for 5 %.

// Which logs, a line a case that is in both, and what came out.
std::string compare_text(const Comparison& comparison, const ParsedLog& before, const ParsedLog& after,
                         double tolerance);
// How many regressions there are, and the worst; empty where there is none.
std::string regressions_text(const Comparison& comparison, double tolerance);

} // namespace nestbed
