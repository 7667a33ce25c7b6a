// The cases of a log, from its rows and its manifest, without the experiment file. Pure.
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
    std::string title;                    // the experiment's title; its name if there is no title or no manifest
    std::vector<CaseResult> results;      // in the order of the plan; without a manifest by input, then by strategy
    std::map<BackendKind, RunFacts> runs; // as far as the rows contain them
};

// `runs` are those of the manifest; there may be none. Throws RunError that names file, line and column for an
// impossible cell, and for a strategy that this program does not have.
LoggedCases logged_cases(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs);

} // namespace nestbed
