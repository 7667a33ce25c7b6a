// The commands with which Nsight Compute counts the device launches of one case, as argument vectors. Pure.
#pragma once

#include "model/case.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace nestbed
{

// The files of a profiled case: its stem and one of these endings.
inline constexpr const char* kLedgerEnding = ".csv";        // the log of `nestbed run`, one row
inline constexpr const char* kManifestEnding = ".csv.json"; // its manifest
inline constexpr const char* kReportEnding = ".ncu-rep";    // the report of ncu
inline constexpr const char* kSourceEnding = ".source.csv"; // its source page: instructions with their counters
inline constexpr const char* kRawEnding = ".raw.csv";       // its raw page: metrics of each root grid
inline constexpr const char* kLogEnding = ".log";           // messages of ncu and nestbed

// The paths of the programs.
struct ProfilerPrograms {
    std::string ncu;
    std::string nestbed;
};

struct ProfileCommands {
    std::vector<std::string>
        collect;                     // one untimed run of the case under ncu: the report, the ledger and its manifest
    std::vector<std::string> source; // prints the source page to standard output
    std::vector<std::string> raw;    // prints the raw page to standard output
};

// ncu counts the instructions of every function that a root grid and its descendants execute, including functions of
// the device runtime. It does so for root grids that are launched within a range of nestbed's NVTX domain
// (model/case_text.hpp).
ProfileCommands profile_commands(const Case& point, const std::string& experiment, const std::string& stem,
                                 const ProfilerPrograms& programs);

// "012-nosync-named-64x512", "013-synced-64x512": the number, the strategy, the mechanism if the strategy has
// several, and grid and block or columns and rows. The stems of an experiment end in this name.
std::string stem_name(std::size_t number, const Case& point);

// Quotes words for a POSIX shell: words of plain characters stay as they are, others get single quotes.
std::string shell_text(const std::vector<std::string>& words);

} // namespace nestbed
