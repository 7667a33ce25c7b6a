// Whether what came out is what is known to happen: the exit code of a run. Pure.
#pragma once

#include "run/runner.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// What came out otherwise than expected, a line each for the user; empty if all is as known. Of a `part` of the plan nothing is said of
// what does not happen: it may have happened in another.
//   ok             every row is ok.
//   wrong          racy strategies have rows that are wrong, at least one each, and else ok ones; all others are ok.
//   launch_failed  strategies that launch under a fixed pending limit have rows in which launches failed, at least one
//                  each, and else ok ones; all others are ok.
//   unsupported    strategies in waves of a given size or round given streams have cases that cannot be launched so, at
//                  least one each, and else ok rows; all others are ok.
std::vector<std::string> surprises_in(Status expect, const std::vector<CaseResult>& results, bool part = false);

// The status of a row is a finding, not a failure: ok, unsupported (it would be that again) or what is expected of such a case.
bool is_finding(Status expect, const Case& point, Status status);

} // namespace nestbed
