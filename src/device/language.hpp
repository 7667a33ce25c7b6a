// What a file that is compiled for both backends includes: the CUDA language, LaunchShape, device_launch and
// Context, from CUDA itself or from the executor.
#pragma once

#ifdef __CUDACC__
#define NESTBED_BACKEND on_cuda
#include "device/cuda/context.cuh"
#else
#define NESTBED_BACKEND on_cpu
#include "device/cpu/context.hpp"
#endif
