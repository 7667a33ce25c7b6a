// cudaGetDeviceProperties and cudaDeviceGetAttribute.
#include "program/runtime/device.hpp"

#include <cstring>

namespace nestbed::program
{

namespace
{

constexpr int kMaxGridX = 0x7FFFFFFF;
constexpr int kMaxGridYZ = 65535;
constexpr int kMaxBlockZ = 64;
constexpr int kRegisters = 65536;
constexpr int kClockKhz = 1'000'000;
constexpr int kConstantBytes = 65536;
constexpr int kL2Bytes = 32 << 20;
constexpr int kMemoryBusBits = 256;

} // namespace

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    if (const cudaError_t error = checked_device(device); error != cudaSuccess)
        return error;
    std::size_t free_bytes = 0;
    cudaDeviceProp& p = *properties;
    std::memset(&p, 0, sizeof p);
    std::strncpy(p.name, "nestbed executor", sizeof p.name - 1);
    static_cast<void>(cudaMemGetInfo(&free_bytes, &p.totalGlobalMem));
    p.sharedMemPerBlock = kDefaultSharedBytes;
    p.sharedMemPerBlockOptin = kMaxSharedBytes;
    p.sharedMemPerMultiprocessor = kMultiprocessorSharedBytes;
    p.reservedSharedMemPerBlock = 1024;
    p.memPitch = 0x7FFFFFFF;
    p.totalConstMem = kConstantBytes;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.surfaceAlignment = 512;
    p.regsPerBlock = p.regsPerMultiprocessor = kRegisters;
    p.warpSize = kWarp;
    p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMaxThreads;
    p.maxThreadsDim[2] = kMaxBlockZ;
    p.maxGridSize[0] = kMaxGridX;
    p.maxGridSize[1] = p.maxGridSize[2] = kMaxGridYZ;
    p.major = 9;
    p.multiProcessorCount = kMultiprocessors;
    p.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
    p.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.asyncEngineCount = p.deviceOverlap = p.streamPrioritiesSupported = p.globalL1CacheSupported = 1;
    p.localL1CacheSupported = p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = 1;
    p.hostRegisterSupported = p.directManagedMemAccessFromHost = 1;
    p.memoryBusWidth = kMemoryBusBits;
    p.l2CacheSize = kL2Bytes;
    p.clockRate = p.memoryClockRate = kClockKhz;
    p.singleToDoublePrecisionPerfRatio = 2;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        *value = kMaxThreads;
        break;
    case cudaDevAttrMaxBlockDimZ:
        *value = kMaxBlockZ;
        break;
    case cudaDevAttrMaxGridDimX:
        *value = kMaxGridX;
        break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        *value = kMaxGridYZ;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = kDefaultSharedBytes;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = kMaxSharedBytes;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = kMultiprocessorSharedBytes;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = static_cast<int>(p.reservedSharedMemPerBlock);
        break;
    case cudaDevAttrTotalConstantMemory:
        *value = kConstantBytes;
        break;
    case cudaDevAttrWarpSize:
        *value = kWarp;
        break;
    case cudaDevAttrMaxPitch:
        *value = static_cast<int>(p.memPitch);
        break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = kRegisters;
        break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
        *value = kClockKhz;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = kMultiprocessors;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = kThreadsPerMultiprocessor;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = kBlocksPerMultiprocessor;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = kMemoryBusBits;
        break;
    case cudaDevAttrL2CacheSize:
        *value = kL2Bytes;
        break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = 2;
        break;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
        *value = static_cast<int>(p.textureAlignment);
        break;
    case cudaDevAttrTexturePitchAlignment:
        *value = static_cast<int>(p.texturePitchAlignment);
        break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrDirectManagedMemAccessFromHost:
        *value = 1;
        break;
    default: // what the executor does not have: textures, clusters, cooperative launches
        *value = 0;
        break;
    }
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
