// Memory of the device between guards: what a kernel accesses just outside of it is an error of the sample. The first access to a
// guard gives it memory, and is remembered.
#pragma once

#include "device/cpu/guarded_pages.hpp"

#include <cstddef>
#include <string_view>

namespace nestbed::cpu
{

// The memory ends at a guard, as far as its alignment, 16 bytes at least, lets it. Throws std::bad_alloc.
void* allocate_guarded(std::size_t bytes, std::size_t alignment, std::string_view name);
void release_guarded(void* memory) noexcept;

// For handlers of SIGSEGV that replace the one of this file: gives the guard of an address memory, and remembers the access. Returns
// false of an address that is in no guard.
bool opens_guard(const void* address);

// Throws Fault if anything has accessed a guard, or written between a guard and its memory, since it was last called. Where no observer
// sees the lines of accesses, the text names the command that does. Nothing may be running.
void expect_accesses_inside();

} // namespace nestbed::cpu
