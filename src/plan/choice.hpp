// A combination of values of the axes, and the shape of the case that follows from it. Pure.
#pragma once

#include "model/axis_table.hpp"
#include "model/facts.hpp"
#include "plan/axes.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

// One value for each of some axes, and the case with these values.
struct Choice {
    Case point;
    std::vector<std::pair<const Axis*, const AxisValue*>> values{};

    const AxisValue& of(std::string_view name) const
    {
        return *std::ranges::find(values, name, [](const auto& one) { return one.first->name; })->second;
    }
};

// Calls use(choice) for every combination of the values of these axes. The last axis changes fastest.
template <class Use>
void for_each_choice(const Axes& axes, std::span<const Axis* const> of, Choice& choice, const Use& use)
{
    if (of.empty())
        return use(choice);
    for (const AxisValue& value : axes.of(*of.front())) {
        of.front()->set(choice.point, value.number);
        choice.values.emplace_back(of.front(), &value);
        for_each_choice(axes, of.subspan(1), choice, use);
        choice.values.pop_back();
    }
}

// The axes of inputs, or all others, in the order of a plan's loops: a run goes from few elements to many.
std::vector<const Axis*> axes_of_loops(bool input);

// Any two of elements, grid and block determine the third. Throws UsageError.
void complete_shape(Choice& choice);

// Checks a shape against the limits of the device. Throws UsageError.
void check_shape(const Choice& choice, const DeviceFacts& facts);
void check_block_shapes(const Axes& axes, const DeviceFacts& facts);

// Checks that the workload has the input. Throws UsageError.
void check_irregular(const Axes& axes, const StrategyInfo& info);

// Checks that an irregular workload has blocks of whole warps, also where they follow from other settings. Throws UsageError.
void check_warps(const Case& point, const Choice& choice);

// Why the device has too little memory for a case; begins with the setting that made the case so large.
std::string refusal_of(const Case& point, const Choice& choice, const DeviceFacts& facts);

} // namespace nestbed
