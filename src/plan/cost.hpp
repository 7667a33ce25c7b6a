// Estimates how long a case takes: to make shards that take equally long, and to estimate the time left. The
// estimates are within a factor of three for most cases on the devices from which the constants come. Only the ratios
// between cases matter. Pure.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>

namespace nestbed
{

// Microseconds for one sample: its timed region and all work around it, such as restoring the input and verifying the
// answer. The strategy must be in a registry.
double sample_us(const Case& point);

// Microseconds to make, once, the input that the cases of a group share.
double input_us(const Case& point);

// Microseconds for all samples of a case including the warm-up, without its input.
double cost_us(const Plan& plan, const Case& point);
// The same for all cases, with their inputs.
double cost_us(const Plan& plan);

} // namespace nestbed
