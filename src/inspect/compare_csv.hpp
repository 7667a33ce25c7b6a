// A comparison of two logs (compare.hpp) as CSV, for programs.
#pragma once

#include "inspect/compare.hpp"

#include <string>

namespace nestbed
{

// Returns CSV (RFC 4180): a header and one row per case, including cases that are in only one log. `tolerance` is a
// share: 0.05 for 5 %.
std::string compare_csv(const Comparison& comparison, double tolerance);

} // namespace nestbed
