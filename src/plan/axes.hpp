// The axes of an experiment, or of a section of it: what each key of a sweep says, checked one by one. Pure.
#pragma once

#include "model/axis_table.hpp"
#include "model/strategy.hpp"
#include "plan/axis.hpp"
#include "plan/settings.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

// A name from a list, with the setting that it comes from.
using NameValue = std::pair<std::string, Setting>;

// A comma-separated list of names, doubles removed; a pattern stands for all names that it matches. Throws UsageError for a name that is
// not allowed and for a pattern that matches nothing; `what` it is called there.
std::vector<NameValue> names_of(const Settings& settings, std::string_view key,
                                const std::vector<std::string_view>& allowed, std::string_view what);

struct Axes {
    std::vector<NameValue> strategies, mechanisms;
    std::vector<std::vector<AxisValue>> plain; // of plain_axes(), in their order; each has one value at least

    const std::vector<AxisValue>& of(const Axis& axis) const { return plain[&axis - plain_axes().data()]; }
    const std::vector<AxisValue>& of(std::string_view name) const { return of(axis_named(name)); }
};

// Throws UsageError that names the setting for a value that no case can have, and for a product of more than 10^6
// cases on `devices` devices.
Axes read_axes(const Settings& settings, std::size_t devices);

// What of the mechanisms asked for the strategy has. One that has a single mechanism goes by that: beside other strategies the rest may be
// asked for them.
// Throws UsageError when it has several and none of them is asked for.
std::vector<Mechanism> mechanisms_of(const Axes& axes, const StrategyInfo& info);

} // namespace nestbed
