// Two small kernels that every session needs: the empty one, and a chain of launches.
#pragma once

#include "language.hpp"

#include "../core/ledger.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Median of `runs` timed launches of an empty kernel, in microseconds (events where there are any).
double time_null_kernel(Context& context, unsigned runs);

// The smallest step of the timer that kernels read, in nanoseconds, of some hundred.
unsigned smallest_timer_step_ns(Context& context);

// One thread launches one thread, `levels` times; returns what was counted.
LaunchCounts run_chain(Context& context, unsigned levels);

} // namespace NESTBED_BACKEND
} // namespace nestbed
