// Which cases and settings of two runs differ, for the message that their rows cannot be in one log. Pure.
#pragma once

#include "log/run_identity.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// "cases: 1 there, 1 here; 1 only there, 1 only here; grid: 4 there, 8 here", with each setting whose values differ. Empty if
// the cases are the same.
std::string case_differences(const std::vector<PlannedCase>& there, const std::vector<PlannedCase>& here);

} // namespace nestbed
