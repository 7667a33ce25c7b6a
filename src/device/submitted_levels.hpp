// Levels that the host submits ahead, on both backends: as launches or as one graph, of ordinary or of programmatic launches.
#pragma once

#include "device/levels.hpp"
#include "device/workload_backend.hpp"

#include <functional>
#include <memory>

namespace nestbed::inline NESTBED_BACKEND
{

// Makes a graph of what `work` launches into stream 0, and returns what launches it. That keeps what `work` owns.
template <class Work>
std::function<void()> by_host_graph(Context& context, const Work& work)
{
#ifdef __CUDACC__
    auto graph = std::make_shared<Graph>(context.capture(false, work));
    return [&context, graph, work] { context.launch(*graph); };
#else
    return [&context, work] { context.launch_as_graph(work); };
#endif
}

// Returns what is timed of levels that `submit` launches by launch_level(): itself, or the launch of a graph of them.
template <class Submit>
std::function<void()> submitted_levels(const PreparedRun& run, const Submit& submit)
{
    if (!is_host_graph(run.mechanism))
        return submit;
    return by_host_graph(run.context, submit);
}

// Launches one of them, by the mechanism of the case. By a programmatic launch it may begin before the level before has ended:
// the kernel must call begin_level() first.
template <auto Kernel, class... Args>
void launch_level(const PreparedRun& run, LaunchShape shape, Args... args)
{
    if (is_programmatic(run.mechanism))
        programmatic_launch<Kernel>(run.context, shape, args...);
    else
        host_launch<Kernel>(run.context, 0, shape, args...);
}

// Returns when the level before is complete. The next one may then begin, and wait for this one. Without effect after an
// ordinary launch.
__device__ inline void begin_level()
{
    after_previous_grid();
    let_next_grid_begin();
}

} // namespace nestbed::inline NESTBED_BACKEND
