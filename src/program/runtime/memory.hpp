// Memory that the program has allocated by functions of CUDA.
#pragma once

#include "program/runtime/heap.hpp"

#include <optional>
#include <string>

namespace nestbed::program
{

// The allocation that has the address in it or in its guards; empty: there is none.
std::optional<Allocation> allocation_at(const void* address);

// Why `bytes` from `address` are not memory that a function of CUDA may use; empty: they are. `device`: it must be
// memory of the device.
std::string why_not_usable(const void* address, std::size_t bytes, bool device);

// Frees memory of kernel_malloc(), kernel_new() or of cudaMalloc() in a kernel. `place`: the address after the call. Returns why it cannot be
// freed; empty: it is freed.
std::string free_in_kernel(void* memory, const void* place);

// The host has written there: tells the observer.
void host_wrote(void* begin, std::size_t bytes);

} // namespace nestbed::program
