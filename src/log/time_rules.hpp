// The rules of times, rates and latencies. Pure.
#pragma once

#include "log/row_rules.hpp"

#include <span>

namespace nestbed
{

std::span<const RowRule> time_rules();

} // namespace nestbed
