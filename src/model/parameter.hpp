// A parameter that a workload declares as its own. From it derive an option, a key of experiment files and of cases, a column
// of logs, and its line in the help; the value is in the case: point[SearchParameter::queens].
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestbed
{

// Whether cases that differ in an axis solve different problems, or the same one by a strategy that is tuned otherwise.
// by_default: as the axis says (axis_table.hpp); of a parameter, problem.
enum class AxisRole : std::uint8_t { by_default, problem, tuning };

// A constant: it exists as long as the program. Several workloads may declare the same name, each with its own help, default and
// role; what values look like must be the same in all (declare_parameter).
struct Parameter {
    std::string_view name; // of small letters, digits and '-': "arrival-gap-us"; its column is "arrival_gap_us"
    std::string_view help;
    std::uint32_t least = 1;
    std::uint32_t most = UINT32_MAX;
    std::optional<std::uint32_t> default_value =
        {};                                       // empty: the first; below `least`: WorkloadInfo::complete sets it
    std::string_view default_text = {};           // as help shows it; empty: the value
    std::span<const std::string_view> names = {}; // in place of numbers: a value is the place of its name in these
    bool file = false;                            // in place of numbers: the file of input `file`
    AxisRole role = AxisRole::by_default;
    bool decides_input = false;       // of what tunes: the input depends on it, and cases with one value run together
    bool size = false;                // how large the problem is
    std::uint32_t place = UINT32_MAX; // among all columns and in keys, which stay as they are; then by name

    constexpr operator std::string_view() const { return name; } // NOLINT(google-explicit-constructor): point[...]
    constexpr std::uint32_t initial() const { return default_value.value_or(names.empty() && !file ? least : 0); }
    constexpr bool is_problem() const { return role != AxisRole::tuning; }
};

// Makes the parameter an axis (axis_table.hpp). Returns why it cannot be one, or nothing: it has no right name, or that of an
// axis or of a parameter with other values. of_user: it comes with a module.
std::string declare_parameter(const Parameter& parameter, bool of_user = true);

// Parameters that are known before the module of their workload is loaded. Throws std::logic_error, which ends the program at its
// start, if one cannot be declared.
struct DeclaredParameters {
    DeclaredParameters(std::initializer_list<const Parameter*> parameters);
};

} // namespace nestbed
