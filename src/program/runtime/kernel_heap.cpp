#include "program/include/nestbed/program/kernel_heap.hpp"

#include "program/runtime/memory.hpp"
#include "program/runtime/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace nestbed::program
{

namespace
{

// 256 bytes are the alignment of all of it.
void* allocate_in_kernel(std::size_t bytes, const AllocatedMemory& of)
{
    void* memory = nullptr;
    static_cast<void>(allocate(&memory, bytes, of.element_bytes, of.name, of.place, MemoryKind::kernel_heap));
    return memory;
}

} // namespace

void* kernel_malloc(std::size_t bytes, const AllocatedMemory& of)
{
    return cpu::in_kernel() ? allocate_in_kernel(bytes, of) : std::malloc(bytes); // NOLINT(*-no-malloc)
}

__attribute__((noinline)) const void* code_here()
{
    return __builtin_return_address(0);
}

void kernel_free(void* memory, const void* place)
{
    if (!cpu::in_kernel())
        return std::free(memory); // NOLINT(*-no-malloc)
    if (place == nullptr)
        place = __builtin_return_address(0);
    const std::string why = memory == nullptr ? "" : free_in_kernel(memory, place);
    if (why.empty())
        return;
    const std::string line = source_of(static_cast<const char*>(place) - 1);
    throw KernelFault(cudaErrorLaunchFailure,
                      fmt::format("{}{}: {} cannot be freed: {}", described(*cpu::current_thread),
                                  line.empty() ? "" : ", at " + line, memory, why));
}

void* kernel_new(std::size_t bytes, std::size_t alignment, const AllocatedMemory& of) noexcept
{
    if (cpu::in_kernel())
        return allocate_in_kernel(std::max<std::size_t>(bytes, 1), of);
    return alignment == 0 ? ::operator new(bytes) : ::operator new(bytes, std::align_val_t(alignment));
}

} // namespace nestbed::program
