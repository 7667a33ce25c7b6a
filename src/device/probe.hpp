// What every session measures of its device first: the empty kernel, the timer, the memory, a chain of launches.
#pragma once

#include "device/language.hpp"

#include "model/ledger.hpp"
#include "model/session.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Median of `runs` timed launches of an empty kernel, in microseconds (events where there are any).
double time_null_kernel(Context& context, unsigned runs);

// The smallest step of the timer that kernels read, in nanoseconds, of some hundred.
unsigned smallest_timer_step_ns(Context& context);

// Medians of 11 over 8 GiB, or a quarter of the free memory if that is less; all 0 on the executor. Throws RunError if what
// was read is not what was written.
MeasuredBandwidth measure_bandwidth(Context& context);

// One thread launches one thread, `levels` times; returns what was counted.
LaunchCounts run_chain(Context& context, unsigned levels);

} // namespace nestbed::inline NESTBED_BACKEND
