// Estimates how long a case takes before anything of it was measured: from the work that its workload describes
// (WorkloadInfo::work), what a unit of work takes, and the launch model. Most are within a factor of five on the devices
// from which the constants come. A run replaces them by what it measures (run/time_left.hpp). Pure.
#pragma once

#include "plan/cost.hpp"

namespace nestbed
{

// As in CaseTimes. The strategy must be in a registry.
double sample_us(const Case& point);
double input_us(const Case& point);

inline constexpr CaseTimes kCaseTimes{.sample_us = sample_us, .input_us = input_us};

} // namespace nestbed
