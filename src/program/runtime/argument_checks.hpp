// What the arguments of a launch point to that the kernel cannot use.
#pragma once

#include "program/include/nestbed/program/launch.hpp"

#include <cstddef>
#include <vector>

namespace nestbed::program
{

// Of a launch from a kernel: local memory of the thread, or shared memory of its block (CUDA guide, "Local Memory" and "Shared and Local
// Memory" of CUDA Dynamic Parallelism). Warns once per launch of the source.
void warn_of_own_memory(const char* kernel, Place place, const void* arguments, std::size_t bytes);

// Of a launch from the host: local variables of the host, and memory of malloc() and new. Warns once per launch of the source. While it lives, an
// access of a kernel to the first byte that an argument points to is reported by the observer.
class HostArguments
{
  public:
    HostArguments(const char* kernel, Place place, const void* arguments, std::size_t bytes);
    HostArguments(const HostArguments&) = delete;
    HostArguments& operator=(const HostArguments&) = delete;
    ~HostArguments();

  private:
    std::vector<const void*> watched_;
};

} // namespace nestbed::program
