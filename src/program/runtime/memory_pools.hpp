// What the heap tells memory pools.
#pragma once

#include "program/include/nestbed/program/memory_pools.hpp"

#include <cstddef>

namespace nestbed::program
{

// Memory of the pool was freed.
void give_back(cudaMemPool_t pool, std::size_t bytes);

// Ends all pools but the device's own one, which is as at the begin.
void forget_pools();

} // namespace nestbed::program
