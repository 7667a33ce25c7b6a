// What has to be run so that Nsight Compute counts the device launches of one case: argument vectors. Pure.
#pragma once

#include "model/case.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace nestbed
{

// The files of a profiled case: its stem, and an ending each.
inline constexpr const char* kLedgerEnding = ".csv";        // the log of `nestbed run`, one row
inline constexpr const char* kManifestEnding = ".csv.json"; // its manifest
inline constexpr const char* kReportEnding = ".ncu-rep";    // what ncu collects
inline constexpr const char* kSourceEnding = ".source.csv"; // its source page: instructions with their counters
inline constexpr const char* kRawEnding = ".raw.csv";       // its raw page: metrics of each root grid
inline constexpr const char* kLogEnding = ".log";           // what ncu and nestbed say

// The programs, each by its path.
struct ProfilerPrograms {
    std::string ncu;
    std::string nestbed;
};

struct ProfileCommands {
    std::vector<std::string>
        collect;                     // one untimed run of the case under ncu: the report, the ledger and its manifest
    std::vector<std::string> source; // the source page, to standard output
    std::vector<std::string> raw;    // the raw page, to standard output
};

// ncu counts the instructions of every function that a root grid and its descendants execute, among them the device
// runtime's, in root grids that are launched within a range of nestbed's NVTX domain (model/case_text.hpp).
ProfileCommands profile_commands(const Case& point, const std::string& experiment, const std::string& stem,
                                 const ProfilerPrograms& programs);

// "012-nosync-named-64x512", "013-synced-64x512": the number, the strategy, the mechanism where it has several, grid and
// block or columns and rows. What the stems of an experiment end in.
std::string stem_name(std::size_t number, const Case& point);

// Words as a POSIX shell reads them back: those of plain characters as they are, others in single quotes.
std::string shell_text(const std::vector<std::string>& words);

} // namespace nestbed
