// What an empty level of `chain` does, by whatever it was made.
#pragma once

#include "workloads/launch/launch_job.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__device__ inline bool acts()
{
    return threadIdx.x == 0 && blockIdx.x == 0;
}

// `now`: marks.now(), taken when the level begins.
__device__ inline void mark_level(const LaunchMarks& marks, unsigned level, unsigned levels, unsigned long long now)
{
    if (!acts())
        return;
    if (level > 0)
        marks.begin(level - 1, now);
    if (level < levels)
        marks.call(level);
}

// The last of the levels that are submitted where a kernel decides, up to a bound, which of them run.
inline unsigned bound_of(const LaunchJob& job)
{
    return kBoundFactor * job.launches;
}

} // namespace nestbed::inline NESTBED_BACKEND
