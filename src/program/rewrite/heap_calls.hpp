// Memory that kernels allocate by malloc() and new.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// In device code, `T* p = (T*)malloc(n)` becomes `… ::nestbed::program::kernel_malloc(n, ::nestbed::program::Allocated<T>("p"))`,
// free() becomes kernel_free(), `delete` KernelDelete, and `T* p = new T[n]` becomes `… new (::nestbed::program::Allocated<T>("p")) T[n]`. The name and the type
// are for reports; where they cannot be read they are left out. A source that has an operator new of its own keeps its `new` and `delete`.
void rewrite_kernel_heap(const Source& source, const std::vector<TokenRange>& device, Changes& changes);

} // namespace nestbed::program
