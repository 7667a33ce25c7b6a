// The table of axes: one entry for everything that cases of a sweep differ in. The options of the command line and the keys of experiment
// files, a case's settings and its key, the columns of logs and tables, the loops of a plan and what a worker is told derive from it.
//
// To add an axis: a member of Case, an entry in axis_table.cpp and, where only some strategies know it, a flag of StrategyInfo.
#pragma once

#include "model/case.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The numbers that an axis may have.
struct AxisRange {
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
    std::string_view word; // what stands for "no number", e.g. "auto"; empty: nothing does
};

struct Axis {
    std::string_view name; // "delay-us": the option, the key in a file and in a case's settings, the title in tables
    std::string column;    // of a log: "delay_us"
    std::string_view help;
    std::string_view otherwise; // what holds where nothing is said, for the help
    AxisRange range{};
    std::optional<std::uint64_t>
        usual{}; // where nothing is said; empty: the range's word, or it follows from other axes
    std::span<const std::string_view> names{}; // of an enumeration; those from range.least on can be asked for
    bool shape = false;                        // a BlockShape: x * 2^32 + y, said as WIDTHxHEIGHT
    bool input = false;                        // cases with other values have another input
    bool usual_is_said = false; // the usual value is in settings and key: of axes that are as old as the keys
    bool in_dry_run = true;     // a column of --dry-run
    // What a case has; empty: the range's word.
    std::optional<std::uint64_t> (*get)(const Case&) = nullptr;
    void (*set)(Case&, std::optional<std::uint64_t>) = nullptr;
    // It means something to a case of this strategy by this mechanism on this backend.
    bool (*matters)(const StrategyInfo&, Mechanism, BackendKind) = nullptr;

    bool words() const { return !names.empty() || get == nullptr; }
    bool list() const { return words() || shape; } // of words or shapes, not of numbers
};

// All axes, in the order of the help and of a case's settings, which the keys of logs are made of.
std::span<const Axis> all_axes();
// Those that are a number, a name or a shape each: all but strategy, backend and mechanism, by which the others mean something.
std::span<const Axis> plain_axes();
// The same in the order of the columns of logs and tables: the elements before what they are divided into.
const std::vector<const Axis*>& plain_axes_in_tables();
// By its name. Throws std::out_of_range.
const Axis& axis_named(std::string_view name);
// nullptr for a column that is no axis.
const Axis* axis_of_column(std::string_view column);

// "512", "full", "float32", "8x32"; empty for a 0 where the range begins above it: what means nothing.
std::string text_of(const Axis& axis, std::optional<std::uint64_t> value);
// The same of a case; empty where the axis means nothing to its strategy and mechanism.
std::string cell_of(const Axis& axis, const Case& point);
// Sets what means nothing to the case, which has a mechanism, to 0 or to the word, so that it does not tell cases apart.
void reset_meaningless(Case& point);

} // namespace nestbed
