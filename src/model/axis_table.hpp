// The table of axes: one entry for each property in which the cases of a sweep can differ. From it derive the options
// of the command line, the keys of experiment files, the settings and the key of a case, the columns of logs and
// tables, the loops of a plan, and what the worker is told.
//
// To add an axis of one workload: a Parameter in its folder (model/parameter.hpp), in the `axes` of its descriptor or strategies.
// To add one that nestbed itself knows: a member of Case, a name in model/workload.hpp, and an entry in axis_table.cpp.
#pragma once

#include "model/case.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The numbers that an axis allows.
struct AxisRange {
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
    std::string_view word; // stands for "no number", e.g. "auto"; empty: no such word
};

struct Axis {
    std::string_view name; // "delay-us": the option, the key in a file and in a case's settings, the title in tables
    std::string column;    // in a log: "delay_us"
    std::string help;
    std::string default_text; // the default, as the help shows it
    std::string_view hint{};  // where users find the values that a workload allows; after the help of the option
    axis::Name id{};          // in sets of axes
    AxisRange range{};
    std::optional<std::uint64_t>
        default_value{};                       // the default; empty: the range's word, or it follows from other axes
    std::span<const std::string_view> names{}; // of an enumeration; users can ask for those from range.least on
    bool shape = false;                        // a BlockShape: x * 2^32 + y, written as WIDTHxHEIGHT
    bool text = false;                         // any name; its number is that of the name in this process
    bool has_commas = false;                   // a text that is one value, with its commas
    bool of_workloads = false;                 // the same, but only the names of inputs that a workload has
    bool input = false;                        // cases with different values have different inputs
    bool problem = false;       // the same of an irregular workload, unless it says otherwise: see is_problem
    bool always_in_key = false; // settings and key contain even the default: true for axes as old as the keys
    bool size = false;          // how large the problem is
    bool own = false;           // help shows it with the workloads that have it
    bool in_dry_run = true;     // a column of --dry-run in any case; otherwise as axes_of_plan() says
    const Parameter* parameter = nullptr; // that a workload declares; null: nestbed itself knows the axis
    bool of_user = false;                 // only a user's workload declares it: a log has its column if a case has it
    // Reads the value from a case; empty: the range's word.
    std::function<std::optional<std::uint64_t>(const Case&)> get = nullptr;
    std::function<void(Case&, std::optional<std::uint64_t>)> set = nullptr;
    // Whether the axis applies to a case with this strategy and mechanism on this backend.
    std::function<bool(const StrategyInfo&, Mechanism, BackendKind)> applies = nullptr;

    bool is_file() const { return parameter != nullptr && parameter->file; }
    bool named() const { return !names.empty() || of_workloads; } // users ask for a name of a list: see names_on
    bool words() const { return !names.empty() || text || get == nullptr; }
    bool list() const { return (words() && !has_commas) || shape; } // a list of words or shapes, not of numbers
};

// All axes, in the order of the help and of a case's settings. The keys of logs are computed from these settings. The parameters of
// workloads are those that are declared: of nestbed's own workloads from the start, of users' when their modules are loaded. What
// these functions return stays, but has only those that were declared before.
std::span<const Axis> all_axes();
// The axes that are a number, a name or a shape: all but strategy, backend and mechanism. Those three decide which
// other axes apply.
std::span<const Axis> plain_axes();
// The same axes in the order of the columns of logs and tables: elements come before grid and block.
const std::vector<const Axis*>& plain_axes_in_tables();
// Those with a column in a table of cases that have not run: see in_dry_run, and where a case has another value than the default.
std::vector<const Axis*> axes_of_plan(std::span<const Case> points);
// Finds an axis by name. Throws std::out_of_range.
const Axis& axis_named(std::string_view name);
// Returns nullptr if the column is not an axis.
const Axis* axis_of_column(std::string_view column);

// The names that users can ask for; empty if they ask for numbers, or for the name of a file. For the inputs of workloads
// it loads all modules.
std::span<const std::string_view> names_on(const Axis& axis);
// The number of one of these names; empty for other names.
std::optional<std::uint64_t> number_on(const Axis& axis, std::string_view name);
// What an axis means for the workload of a strategy, and its default there: where the descriptor says nothing, as for all.
struct AxisText {
    std::string_view help;
    std::string default_text;
};
AxisText text_for(const Axis& axis, const StrategyInfo& info);
// That default as a number; 0: that of the axis.
std::uint64_t default_of(const Axis& axis, const StrategyInfo& info);
// Whether cases of the strategy that differ in it solve different problems, so that their times are not compared. If not,
// it tunes the strategy. As the parameter or the descriptor says (AxisRole); otherwise every input of a regular workload is a
// problem, because all its strategies have the same parameters.
bool is_problem(const Axis& axis, const StrategyInfo& info);
// Whether the set has the axis.
bool is_in(const AxisSet& set, const Axis& axis);
// The values that decide the input of a case, so that it can be kept for a case with the same ones. The grid is one of them, because it
// decides how many elements there are where nothing else does.
std::vector<std::optional<std::uint64_t>> problem_of(const Case& point);
// Whether it can apply to cases of the strategy, by any of its mechanisms, on any backend.
bool applies(const Axis& axis, const StrategyInfo& info);

// "512", "full", "float32", "8x32"; empty for a 0 that is below the range, because the axis then does not apply.
std::string text_of(const Axis& axis, std::optional<std::uint64_t> value);
// The text of a case's value; empty if the axis does not apply to the case's strategy and mechanism.
std::string cell_of(const Axis& axis, const Case& point);
// Sets each axis that does not apply to the case to 0 or to the range's word, so that such an axis does not
// distinguish cases. The case must have a mechanism.
void reset_meaningless(Case& point);

} // namespace nestbed
