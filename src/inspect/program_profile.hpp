// The launches of any CUDA program, counted by Nsight Compute: its commands, and what its pages say. Pure.
#pragma once

#include "inspect/ncu_pages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// A kernel that the host launched.
struct HostKernel {
    std::string name;                         // without template arguments and parameters
    std::uint64_t from_host = 0;              // its launches, which ncu calls root grids
    std::optional<std::uint64_t> from_device; // launches by its grids and all their descendants
};

struct ProgramProfile {
    std::vector<HostKernel> kernels; // in the order of their first launches
    std::uint64_t from_host = 0;
    std::uint64_t from_device = 0;
};

struct ProgramProfileCommands {
    std::vector<std::string> collect; // runs the program; the messages of ncu go to `log`
    std::vector<std::string> source;  // prints the source page
    std::vector<std::string> raw;     // prints the raw page
};
ProgramProfileCommands program_profile_commands(const std::string& ncu, const std::string& report,
                                                const std::string& log, const std::vector<std::string>& program);

// The counts are those of attempts, refused launches included: how often the function was called that provides memory
// for the arguments of a launch. `from_device` of a kernel is empty if the page does not show to which root grid its
// launches belong. Throws RunError.
ProgramProfile program_profile(const std::string& source_path, std::string_view source, const std::string& raw_path,
                               std::string_view raw);

// The table, with a line of totals.
std::string program_profile_text(const ProgramProfile& profile);

} // namespace nestbed
