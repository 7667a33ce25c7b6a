// The axis that the declarations of a parameter make, and which declarations there may be. Used by axis_table.cpp.
#pragma once

#include "model/axis_table.hpp"
#include "model/parameter.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// "arrival_gap_us" of "arrival-gap-us".
std::string column_of_name(std::string_view name);

// As help shows it.
std::string default_text_of(const Parameter& one);

// The axis of a name that these declare. It has their default if they agree on it.
Axis axis_of(std::vector<const Parameter*> declared);

// Whether two declarations of a name say the same.
bool is_same(const Parameter& one, const Parameter& other);

// Why it cannot be declared; empty if it can. `general`: the axes that all workloads have. `before`: another declaration of its
// name, or null.
std::string why_not(const Parameter& one, std::span<const Axis> general, const Parameter* before);

} // namespace nestbed
