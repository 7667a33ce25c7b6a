// A comparison of two logs (compare.hpp) as a program reads it.
#pragma once

#include "inspect/compare.hpp"

#include <string>

namespace nestbed
{

// RFC 4180; `tolerance` is a share, 0.05 for 5 %: a header, and a row a case, of those in one log too.
std::string compare_csv(const Comparison& comparison, double tolerance);

} // namespace nestbed
