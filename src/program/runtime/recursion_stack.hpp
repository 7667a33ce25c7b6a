// The stack that recursion of device functions may use.
#pragma once

#include <cstddef>

namespace nestbed::program
{

// Bytes for cudaLimitStackSize. Frames of the host are larger than those of a GPU: one of 16 bytes there has up to 160 here, one of 88 bytes 240.
std::size_t recursion_bytes(std::size_t limit);

// Of threads that begin from now on.
void set_stack_limit(std::size_t limit);

// A thread of a kernel begins in the frame of the caller.
void begin_stack();

} // namespace nestbed::program
