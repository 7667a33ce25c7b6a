// The cases of a log, without the experiment that it is of: from its rows and its manifest. Pure.
#pragma once

#include "log/case_result.hpp"
#include "log/parsed_log.hpp"
#include "log/run_identity.hpp"

#include <map>
#include <string>
#include <vector>

namespace nestbed
{

struct LoggedCases {
    std::string title; // of the experiment, or its name where it has none or there is no manifest
    std::vector<CaseResult>
        results; // in the order of the plan; without a manifest by what they reduce, then by strategy
    std::map<BackendKind, RunFacts> runs; // as far as rows say it
};

// `runs` are those of the manifest; there may be none. Throws RunError that names file, line and column for a cell that cannot be, and for a
// strategy that this program does not have.
LoggedCases logged_cases(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs);

} // namespace nestbed
