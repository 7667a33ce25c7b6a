// Levels that the host or a graph makes, on both backends.
#pragma once

#ifdef __CUDACC__
#include "device/cuda/levels.cuh"
#else
#include "device/cpu/levels.hpp"
#endif
