// Files that are compiled for both backends include this header. It provides the CUDA language, BLOCK_SHARED,
// LaunchShape, device_launch and Context, from CUDA itself or from the executor.
#pragma once

#ifdef __CUDACC__
#define NESTBED_BACKEND on_cuda
#include "device/cuda/context.cuh"
#else
#define NESTBED_BACKEND on_cpu
#include "device/cpu/context.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// Launches from the host into stream 0.
template <auto Kernel, class... Args>
void host_launch(Context& context, LaunchShape shape, Args... args)
{
    host_launch<Kernel>(context, 0U, shape, args...);
}

} // namespace nestbed::inline NESTBED_BACKEND
