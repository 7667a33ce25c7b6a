// What every session measures first on its device: an empty kernel, the timer, the memory, and a chain of launches.
#pragma once

#include "device/language.hpp"

#include "model/ledger.hpp"
#include "model/session.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Returns the median time of `runs` launches of an empty kernel, in microseconds. Uses CUDA events if there are any,
// else the wall clock.
double time_empty_kernel(Context& context, unsigned runs);

// Returns the smallest step of the timer that kernels read, in nanoseconds, out of a few hundred steps.
unsigned smallest_timer_step_ns(Context& context);

// Returns medians of 11 runs over 8 GiB, or over a quarter of the free memory if that is less. All values are 0 on
// the executor. Throws RunError if the data read is not the data written.
MeasuredBandwidth measure_bandwidth(Context& context);

// Launches one thread, which launches one thread, and so on: `levels` launches. Returns the launch counts.
LaunchCounts run_chain(Context& context, unsigned levels);

} // namespace nestbed::inline NESTBED_BACKEND
