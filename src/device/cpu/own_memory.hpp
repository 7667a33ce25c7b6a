// Memory of a running thread of a kernel that no child of it can use.
#pragma once

#include <cstdint>

namespace nestbed::cpu
{

enum class OwnMemory : std::uint8_t {
    none,
    of_thread, // local memory
    of_block,  // shared memory
};

// Whether the address is in the local memory of the running thread or in the shared memory of its block.
OwnMemory own_memory_of(const void* address);
// The same of what a child gets, whose threads will not have the local memory of this one as their own.
OwnMemory own_memory_for_child(const void* address);

// Whether it is on the stack of the running thread, or what the executor keeps for the thread, as threadIdx.
bool is_of_running_thread(const void* address);

// Whether it is on the stack of any thread of a kernel.
bool is_on_stack_of_thread(const void* address);

} // namespace nestbed::cpu
