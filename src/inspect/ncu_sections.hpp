// The sections of a source page of ncu: one per function that a root grid and its descendants ran. Pure. Errors are
// RunError with the file, the line, and what is wrong.
#pragma once

#include "inspect/ncu_lines.hpp"
#include "inspect/ncu_pages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// Functions of the device runtime: a launch calls the first, and if there is room for its arguments also the second.
inline constexpr std::string_view kArgumentsFunction = "__cudaCDP2GetParameterBufferV2";
inline constexpr std::string_view kLaunchFunction = "__cudaCDP2LaunchDeviceV2";

struct Section {
    std::string_view name;
    Line title, names, first; // its three kinds of lines; `first` is the first instruction
    std::size_t lines = 0;    // number of lines with instructions
    std::string_view text;    // from the names to the last line
};
std::vector<Section> sections_of(const std::string& path, std::string_view text);

// How often threads executed the first instruction of a section.
std::uint64_t threads_of(const std::string& path, const Section& section);
// How often warps did; empty if ncu did not count it.
std::optional<std::uint64_t> warps_of(const std::string& path, const Section& section);

// Functions of the device runtime and of the compiler begin with "__". All other sections are kernels, or functions
// of the program that are not inlined.
bool is_kernel(const Section& section);

// The name of a function without what the raw page leaves out: namespaces, and the types of values.
std::string plain_name(std::string_view name);

// How many copies of each section the page prints: the sections of a kernel divided by its root grids.
std::size_t copies_in(const std::string& path, const std::vector<Section>& sections, const RawPage& raw);
// Throws if the page does not print every section so many times. Root grids that did the same have equal sections.
void check_copies(const std::string& path, const std::vector<Section>& sections, std::size_t copies);

} // namespace nestbed
