// How long a case is likely to take: for shards that take equally long, and for the time left. Within a factor of three for most cases,
// on the devices that the constants are from; it is what cases have to each other that counts. Pure.
#pragma once

#include "plan/plan.hpp"

namespace nestbed
{

// Microseconds of one sample: its timed region, and all that is done round it, such as restoring the input and verifying the answer.
// The strategy must be in a registry.
double sample_us(const Case& point);

// Microseconds that it takes to make the input that the cases of a group share, once.
double input_us(const Case& point);

// Microseconds of all samples of a case, warm-up among them, without its input.
double cost_us(const Plan& plan, const Case& point);
// The same of all cases, with their inputs.
double cost_us(const Plan& plan);

} // namespace nestbed
