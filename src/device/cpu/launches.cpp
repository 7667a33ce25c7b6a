// What kernels launch, and what they wait for.
#include "device/cpu/executor_state.hpp"
#include "device/cpu/observer.hpp"
#include "device/cpu/workload_language.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

namespace nestbed::cpu
{

// Uses 64-bit products, so that a dim3 of three large numbers does not overflow to a small number.
bool can_be_launched(dim3 grid, dim3 block)
{
    constexpr std::uint64_t kMaxBlocks = 2147483647;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
    return threads >= 1 && block.x <= kMaxThreadsPerBlock && block.y <= kMaxThreadsPerBlock && block.z <= 64 &&
           threads <= kMaxThreadsPerBlock && plane >= 1 && plane <= kMaxBlocks && grid.z >= 1 && grid.y <= 65535 &&
           grid.z <= 65535 && plane * grid.z <= kMaxBlocks;
}

void complete_children()
{
    Block& block = *current_carrier()->block;
    block.engine->on_wait(block);
}

void wait_for_children()
{
    complete_children();
    if (current_thread->observed != nullptr)
        observer->waited(current_thread->observed);
}

void let_next_grid_begin()
{
    Block& block = *current_carrier()->block;
    if (std::exchange(block.lets_next_begin, true))
        return; // only the first call of a block has an effect (PTX ISA, griddepcontrol)
    if (current_thread->observed != nullptr)
        observer->lets_next_grid_begin(current_thread->observed);
    block.engine->on_trigger(block);
}

void wait_for_previous_grid()
{
    Block& block = *current_carrier()->block;
    block.engine->on_wait_for_previous(block);
    if (current_thread->observed != nullptr)
        observer->waited_for_previous_grid(current_thread->observed);
}

namespace
{

LaunchError launch_child(std::uint64_t stream, dim3 grid, dim3 block, Mechanism mechanism, KernelCall call, bool wait,
                         const void* place)
{
    if (!can_be_launched(grid, block))
        return launch_invalid_configuration;
    Block& parent = *current_carrier()->block;
    PendingLaunches& pending = parent.engine->pending;
    if (pending.only.value_or(mechanism) != mechanism)
        throw Fault(fmt::format("a kernel launched by mechanism {} in a case of mechanism {}",
                                nestbed::name_of(mechanism), nestbed::name_of(*pending.only)));
    if (!pending.reserve())
        return launch_pending_count_exceeded;
    auto child = std::make_unique<Grid>(grid, block, mechanism, std::move(call));
    child->parent = parent.grid;
    child->parent_block = parent.index;
    child->stream = stream;
    void* const thread = current_thread->observed;
    if (thread != nullptr)
        child->observed = observer->launched(thread, mechanism, stream, place, child->call.launch);
    current_thread->moved = true;
    parent.engine->on_launch(parent, std::move(child), wait);
    return launch_ok;
}

} // namespace

LaunchError launch(dim3 grid, dim3 block, Mechanism mechanism, KernelCall call)
{
    return launch_child(0, grid, block, mechanism, std::move(call), false, __builtin_return_address(0));
}

LaunchError launch_into(std::uint64_t stream, dim3 grid, dim3 block, Mechanism mechanism, KernelCall call,
                        const void* place)
{
    return launch_child(stream, grid, block, mechanism, std::move(call), false, place);
}

std::uint64_t new_stream_number()
{
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

LaunchError launch_and_wait(dim3 grid, dim3 block, KernelCall call)
{
    return launch_child(0, grid, block, Mechanism::null_stream, std::move(call), true, __builtin_return_address(0));
}

} // namespace nestbed::cpu
