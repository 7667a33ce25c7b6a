// Estimates how long a case takes, from its workload's descriptor (WorkloadCost) and from the launch model. The estimates
// are within a factor of three for most cases on the devices from which the constants come. Pure.
#pragma once

#include "plan/cost.hpp"

namespace nestbed
{

// As in CaseTimes. The strategy must be in a registry.
double sample_us(const Case& point);
double input_us(const Case& point);

inline constexpr CaseTimes kCaseTimes{.sample_us = sample_us, .input_us = input_us};

} // namespace nestbed
