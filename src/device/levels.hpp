// Levels that the host or a graph makes, on both backends.
#pragma once

#ifdef __CUDACC__
#include "device/cuda/cuda_levels.cuh"
#else
#include "device/cpu/cpu_levels.hpp"
#endif
