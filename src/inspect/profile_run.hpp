// Runs cases under Nsight Compute, one after another, and reads the counts from the files that it writes.
#pragma once

#include "inspect/reconcile.hpp"
#include "run/profiler.hpp"
#include "run/runner.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace nestbed
{

struct ProfileOptions {
    ProfilerPrograms programs;
    std::string experiment;
    std::string folder;                // it must exist
    std::chrono::seconds timeout{300}; // for each run of ncu
    bool keep_reports = false;
};

// The stems of the files of the cases, in `folder`.
std::vector<std::string> stems_of(const std::vector<Case>& cases, const std::string& folder);

// Nothing is overwritten: throws UsageError if a file exists already.
void check_no_file_of(const std::vector<std::string>& stems);

// Runs each case once. If a case cannot be run, counted or read, its verdict is not_counted with the reason, and its
// log is kept; the other cases continue. If a run fails because its ledger row is not ok (such as a race that was
// lost), it is still counted. Throws RunError if ncu has no permission to read the counters, or cannot be started.
std::vector<Reconciled> profile_cases(const std::vector<Case>& cases, const ProfileOptions& options,
                                      const std::function<void(const Progress&)>& report);

} // namespace nestbed
