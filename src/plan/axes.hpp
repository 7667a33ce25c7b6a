// The axes of an experiment, or of one of its sections: the values of each key of a sweep, each checked. Pure.
#pragma once

#include "model/axis_table.hpp"
#include "model/strategy.hpp"
#include "plan/axis.hpp"
#include "plan/settings.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

// A name from a list, and the setting in which it was given.
using NameValue = std::pair<std::string, Setting>;

// Parses a comma-separated list of names and removes duplicates; a pattern stands for all names that it matches.
// Throws UsageError for a name that is not allowed and for a pattern that matches nothing. `what` says in messages
// what is named, for example "strategy"; `lists_all` is a command that prints all names; `suggested` are those that a
// message suggests, if not all that are allowed.
std::vector<NameValue> names_of(const Settings& settings, std::string_view key,
                                const std::vector<std::string_view>& allowed, std::string_view what,
                                std::string_view lists_all, std::span<const std::string_view> suggested = {});
inline constexpr std::string_view kListsStrategies = "nestbed list";

struct Axes {
    std::vector<NameValue> strategies, mechanisms;
    std::vector<std::vector<AxisValue>> plain; // of plain_axes(), in their order; each has at least one value

    const std::vector<AxisValue>& of(const Axis& axis) const { return plain[&axis - plain_axes().data()]; }
    const std::vector<AxisValue>& of(std::string_view name) const { return of(axis_named(name)); }
};

// Throws UsageError that names the setting for a value that no case can have, and for a product of more than 10^6
// cases on `devices` devices.
Axes read_axes(const Settings& settings, std::size_t devices);

// Of each value that no case uses, because no chosen strategy has the axis: a sentence that says so. A seed is always used: it is
// also that of the order of the runs. `parts` are those of the experiment.
std::vector<std::string> unused_axes(const std::vector<Axes>& parts);
// The same of axes that apply to a chosen strategy, and yet are in no case of the plan: waves and streams, because no root grid can
// be divided, and parameters of other inputs than the chosen ones.
std::vector<std::string> unused_in_cases(const std::vector<Axes>& parts,
                                         const std::function<bool(const Axis&)>& is_in_a_case);

// The mechanisms that are asked for and that the strategy supports. A strategy with a single mechanism always uses
// that one, and one that launches nothing from the device uses its first if it supports none of those asked for: these
// may be meant for other strategies. Any other strategy that supports none of them is a UsageError.
std::vector<Mechanism> mechanisms_of(const Axes& axes, const StrategyInfo& info);

} // namespace nestbed
