// Nsight Compute: the commands that make it count launches, and what it counted.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

// A report of ncu has the path of its stem and one of these endings.
inline constexpr const char* kReportEnding = ".ncu-rep";
inline constexpr const char* kSourceEnding = ".source.csv"; // its source page: instructions with their counters
inline constexpr const char* kRawEnding = ".raw.csv";       // its raw page: a row for each root grid

// Argument vectors.
struct NcuCommands {
    std::vector<std::string> collect; // runs the program and writes the report
    std::vector<std::string> source;  // prints the source page to standard output
    std::vector<std::string> raw;     // prints the raw page to standard output
};
NcuCommands ncu_commands(const std::string& ncu, const std::string& stem, const std::vector<std::string>& options,
                         const std::vector<std::string>& program);

// ncu can count no case: it may not read the GPU's counters, or cannot be started.
class NcuUnusable : public RunError
{
  public:
    using RunError::RunError;
};

// The last message of ncu in a file that says why it did not count; empty if there is none. Throws NcuUnusable.
std::string ncu_reason(const std::string& path);

// A kernel that the host launched.
struct NcuKernel {
    std::string name;              // without namespaces, template arguments and parameters
    std::uint64_t from_host = 0;   // its launches: ncu calls them root grids
    std::uint64_t from_device = 0; // launches by its grids and all their descendants
};

// What ncu counted.
struct NcuCounts {
    std::vector<NcuKernel> kernels; // in the order of their first launches
    std::uint64_t root_grids = 0;
    std::uint64_t launches = 0; // from the device, refused ones too
};

// Reads both pages. The source page has a table for each function that a root grid and its descendants ran. A launch
// calls two functions of the device runtime, so the number of launches is how often the first instruction of such a
// function was executed. Throws RunError with the file, the line, and what is wrong.
NcuCounts read_ncu_pages(const std::string& source, const std::string& raw);

// The kernels as a table, with a line of totals.
std::string ncu_text(const NcuCounts& counts);

} // namespace nestbed
