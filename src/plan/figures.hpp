#pragma once

#include "plan/axes.hpp"
#include "plan/settings.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// The figures that the settings name. Each must suit some workload. Loads all modules only for a figure that suits none of
// the parts. Throws UsageError.
std::vector<std::string> figures_of(const Settings& settings, const std::vector<Axes>& parts);

} // namespace nestbed
