// The device that programs see: one, with the properties of a GPU of compute capability 9.0 and few multiprocessors.
#pragma once

#include "device/cpu/executor.hpp"
#include "program/runtime/state.hpp"

namespace nestbed::program
{

// Few, so that programs which size their grids by it stay small.
constexpr int kMultiprocessors = 8;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kMaxCluster =
    8; // blocks; more where a kernel allows it that another GPU may refuse (CUDA guide, "Thread Block Clusters")
constexpr int kMaxLargeCluster = 16;
constexpr int kWarp = 32;
constexpr int kMaxGridX = 0x7FFFFFFF; // blocks
constexpr int kMaxGridYZ = 65535;
constexpr int kMaxBlockZ = 64; // threads
constexpr int kMaxThreads = static_cast<int>(cpu::kMaxThreadsPerBlock);
constexpr int kMultiprocessorSharedBytes = 228 * 1024;

// What cudaDeviceSetLimit() has set, or the default.
std::size_t limit_value(cudaLimit limit);

// The error of a function of CUDA that names this device.
cudaError_t checked_device(int device);

} // namespace nestbed::program
