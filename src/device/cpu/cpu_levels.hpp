// What a host needs to make level after level when the device decides whether there is another: a WHILE node, and launches
// that may begin before the grid before has ended.
#pragma once

#include "device/cpu/context.hpp"

#include <functional>
#include <memory>

namespace nestbed::inline on_cpu
{

// The condition of a WHILE node.
using ConditionHandle = unsigned*;

// Returns what launches a graph of one WHILE node: see device/cuda/cuda_levels.cuh. The body runs again as long as the
// condition is not 0, each time after the last is complete (CUDA C++ programming guide, "Conditional graph nodes").
template <auto Kernel, class... Args>
std::function<void()> while_loop(Context& context, LaunchShape shape, Args... args)
{
    auto again = std::make_shared<unsigned>();
    return [=, &context] {
        context.launch_as_graph([&] {
            check_shared<Kernel>(shape);
            for (*again = 1; *again != 0; context.executor().finish())
                context.executor().run(shape.grid, shape.block, kernel_call<Kernel>(shape, args..., again.get()));
        });
    };
}
inline void set_condition(ConditionHandle handle, bool again)
{
    *handle = again ? 1 : 0;
}

// Launches a grid that may begin before the one before it in stream 0 has ended: see device/cuda/cuda_levels.cuh.
template <auto Kernel, class... Args>
void programmatic_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    check_shared<Kernel>(shape);
    context.executor().run(shape.grid, shape.block, kernel_call<Kernel>(shape, args...), 0, true);
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
