// What every session measures of its device first: the empty kernel, the timer, the memory, a chain of launches.
#pragma once

#include "language.hpp"

#include "../core/ledger.hpp"
#include "../core/session.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Median of `runs` timed launches of an empty kernel, in microseconds (events where there are any).
double time_null_kernel(Context& context, unsigned runs);

// The smallest step of the timer that kernels read, in nanoseconds, of some hundred.
unsigned smallest_timer_step_ns(Context& context);

// Medians of 11 over 1 GiB, or an eighth of the free memory; all 0 on the executor.
MeasuredBandwidth measure_bandwidth(Context& context);

// One thread launches one thread, `levels` times; returns what was counted.
LaunchCounts run_chain(Context& context, unsigned levels);

} // namespace NESTBED_BACKEND
} // namespace nestbed
