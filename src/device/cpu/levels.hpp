// What a host needs to make level after level: launches that may begin before the grid before has ended.
#pragma once

#include "device/cpu/context.hpp"

namespace nestbed::inline on_cpu
{

// Launches a grid that may begin before the one before it in stream 0 has ended: see device/cuda/levels.cuh.
template <auto Kernel, class... Args>
void programmatic_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    context.executor().run(
        shape.grid, shape.block, [=] { Kernel(args...); }, 0, true);
}
inline void after_previous_grid()
{
    cpu::wait_for_previous_grid();
}
inline void let_next_grid_begin()
{
    cpu::let_next_grid_begin();
}

} // namespace nestbed::inline on_cpu
