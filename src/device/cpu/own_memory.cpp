#include "device/cpu/own_memory.hpp"

#include "device/cpu/executor_state.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

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

OwnMemory own_memory_for_child(const void* address)
{
    const OwnMemory own = own_memory_of(address);
    current_carrier()->has_children_with_local |= own == OwnMemory::of_thread;
    return own;
}

bool is_of_running_thread(const void* address)
{
    const Carrier* const carrier = current_carrier();
    const auto* const at = static_cast<const std::byte*>(address);
    const auto is_in = [at](const void* object, std::size_t bytes) {
        const auto* const begin = static_cast<const std::byte*>(object);
        return std::less_equal<>{}(begin, at) && std::less<>{}(at, begin + bytes);
    };
    return carrier == nullptr || carrier->has_on_stack(address) ||
           is_in(&carrier->context, sizeof carrier->context) ||
           is_in(&current_thread, sizeof current_thread); // NOLINT(bugprone-sizeof-expression): the pointer itself
}

} // namespace nestbed::cpu
