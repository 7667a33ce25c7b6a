#include "device/cpu/own_memory.hpp"

#include "device/cpu/executor_state.hpp"

#include <algorithm>

namespace nestbed::cpu
{

OwnMemory own_memory_of(const void* address)
{
    const Carrier& carrier = *current_carrier();
    if (carrier.has_on_stack(address))
        return OwnMemory::of_thread;
    const bool is_shared = std::ranges::any_of(
        carrier.block->shared, [address](const SharedVariable& variable) { return variable.place.has(address); });
    return is_shared ? OwnMemory::of_block : OwnMemory::none;
}

} // namespace nestbed::cpu
