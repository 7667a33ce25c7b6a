// Kernels and what limits their launches.
#pragma once

#include "program/include/nestbed/program/kernel.hpp"
#include "program/include/nestbed/program/types.hpp"

#include <cstddef>
#include <string>

namespace nestbed::program
{

// The kernel at the address; nullptr: there is none.
struct FoundKernel {
    Kernel* kernel = nullptr;
    const Parameters* parameters = nullptr; // nullptr: it cannot be called by its address
};
FoundKernel found_kernel(const void* address);
Kernel* kernel_at(const void* address);
// The launch that the host has configured keeps the arguments, if its stream is captured. `code`: an address within the function of the kernel.
void keep_if_captured(const Kernel& kernel, const Parameters& parameters, const volatile void* const* arguments,
                      const void* code);

// Which blocks of a launch run together.
struct BlockGroups {
    bool cooperative = false;
    dim3 cluster{};
    bool is_given = false; // the cluster is, by the launch
};

struct Refusal {
    cudaError_t error = cudaSuccess; // cudaSuccess: the launch is not refused
    std::string why{};
};
// `kernel`: nullptr of a library's; `code`: an address within its function.
Refusal refusal_of(Kernel* kernel, const void* code, dim3 grid, dim3 block, std::size_t dynamic_bytes,
                   const BlockGroups& groups);

// At the reset of the device.
void forget_function_attributes();

} // namespace nestbed::program
