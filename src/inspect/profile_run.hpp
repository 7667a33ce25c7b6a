// Runs cases under Nsight Compute, one after another, and takes its counts out of what it leaves behind.
#pragma once

#include "inspect/profiler.hpp"
#include "inspect/reconcile.hpp"
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
    std::string folder;                // it is there
    std::chrono::seconds timeout{300}; // of each run of ncu
    bool keep_reports = false;
};

// The stems of the cases' files, in the options' folder.
std::vector<std::string> stems_of(const std::vector<Case>& cases, const std::string& folder);

// Nothing is overwritten. Throws UsageError for a file that is there already.
void check_no_file_of(const std::vector<std::string>& stems);

// Each case once. One that cannot be run, counted or read is not counted, with the reason, and keeps its log; the others go
// on. A run that ends badly because the row of its ledger is not ok (a race that was lost) is counted all the same. Throws
// RunError when ncu may not read the counters, or cannot be started.
std::vector<Reconciled> profile_cases(const std::vector<Case>& cases, const ProfileOptions& options,
                                      const std::function<void(const Progress&)>& report);

} // namespace nestbed
