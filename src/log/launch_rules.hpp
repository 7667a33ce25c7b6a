// The rules of launches, answers and the status. Pure.
#pragma once

#include "log/row_rules.hpp"

#include <span>

namespace nestbed
{

std::span<const RowRule> launch_rules();

} // namespace nestbed
