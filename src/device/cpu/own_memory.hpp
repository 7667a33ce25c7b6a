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

} // namespace nestbed::cpu
