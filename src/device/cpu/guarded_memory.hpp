// Memory of the device between guards: what a kernel accesses just outside of it is an error of the sample.
#pragma once

#include <cstddef>
#include <string_view>

namespace nestbed::cpu
{

// Before and behind each allocation: addresses without memory. The first access there gives them memory, and is remembered.
inline constexpr std::size_t kMemoryGuardBytes = 16UL * 1024 * 1024;

// The memory ends at a guard, as far as its alignment, 16 bytes at least, lets it. Throws std::bad_alloc.
void* allocate_guarded(std::size_t bytes, std::size_t alignment, std::string_view name);
void release_guarded(void* memory) noexcept;

// Throws Fault if anything has accessed a guard, or written between a guard and its memory, since it was last called. Nothing
// may be running.
void expect_accesses_inside();

} // namespace nestbed::cpu
