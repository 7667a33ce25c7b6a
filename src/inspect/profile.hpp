// Counts the device launches of cases three times: the closed form, the ledger that the kernels keep, and Nsight Compute.
#pragma once

#include "inspect/ncu.hpp"
#include "model/case.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

struct ProfileOptions {
    std::string ncu, nestbed; // the paths of the programs
    std::string experiment;
    std::chrono::seconds timeout{300}; // for each run of ncu
    bool keep_reports = false;
};

// A case that ran under ncu. Its files have the path of its stem, and the endings of inspect/ncu.hpp and these.
inline constexpr const char* kLedgerEnding = ".csv"; // the log of `nestbed run`, one row; its manifest is beside it
inline constexpr const char* kLogEnding = ".log";    // messages of ncu and nestbed, if the case was not counted
struct Profiled {
    std::string name;                       // of the stem
    std::map<std::string, std::string> row; // of the ledger, by column; empty if there is no ledger
    std::optional<NcuCounts> nsight;
    std::string detail; // the counts that differ, or why there is no count; empty if all three are equal

    std::string cell(const std::string& column) const; // empty if there is no such column
    const char* verdict() const;                       // "equal", "differ", "not counted"
};

// FOLDER/012-nosync-named-64x512: the number, the strategy, the mechanism if the strategy has several, and grid and block, or
// columns and rows.
std::string stem_of(const std::string& folder, std::size_t number, const Case& point);

// Throws UsageError if one of its files exists already.
void check_new_stem(const std::string& stem);

// ncu counts the root grids that are launched within a range of nestbed's NVTX domain (model/case_text.hpp).
NcuCommands profile_commands(const Case& point, const std::string& stem, const ProfileOptions& options);

// Why ncu cannot count the launches of a case; empty if it can.
std::string why_not_counted(const Case& point);

// Runs the case once. If it cannot be run, counted or read, `detail` says why, and its log is kept. A run whose row is not
// ok (such as a race that was lost) is counted too. Throws NcuUnusable.
Profiled profile_case(const Case& point, const std::string& stem, const ProfileOptions& options);

// The cases in a folder that `nestbed profile` wrote, in the order of their names. Throws UsageError if there is none.
std::vector<Profiled> read_profile(const std::string& folder);

// A table of the three counts, and the cases that are not equal with the reason.
std::string profile_text(const std::vector<Profiled>& cases);
// All that is known of the cases, as CSV.
std::string profile_csv(const std::vector<Profiled>& cases);

} // namespace nestbed
