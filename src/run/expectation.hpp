// Compares the results of a run with its expectation, for the exit code of the run. Pure.
#pragma once

#include "run/runner.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// The results that were not expected, one line each for the user; empty if there are none. For a `part` of the plan,
// a status that does not occur is not reported, because it may occur in another part.
//   ok             Every row is ok.
//   wrong          Each racy strategy has at least one wrong row, and its other rows are ok; all other rows are ok.
//   launch_failed  Each strategy that launches under a fixed pending limit has at least one row in which launches
//                  failed, and its other rows are ok; all other rows are ok.
//   unsupported    Each strategy with a given wave size or number of streams has at least one case that cannot be
//                  launched this way, and its other rows are ok; all other rows are ok.
//   timeout        Each strategy that may hang the device has at least one row that did, under a fixed pending limit. Of
//                  all strategies, launches under such a limit may fail; all other rows are ok.
std::vector<std::string> surprises_in(Status expect, const std::vector<CaseResult>& results, bool part = false);

// Whether the status of a row is a finding, not a failure: ok, unsupported (it would stay unsupported), or expected
// for such a case.
bool is_finding(Status expect, const Case& point, Status status);

} // namespace nestbed
