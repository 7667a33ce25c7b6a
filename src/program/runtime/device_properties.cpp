// cudaGetDeviceProperties and cudaDeviceGetAttribute.
#include "program/runtime/device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace nestbed::program
{

namespace
{

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
    observe_write(properties, sizeof *properties, __builtin_return_address(0));
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
    p.hostRegisterSupported = p.directManagedMemAccessFromHost = p.memoryPoolsSupported = 1;
    p.cooperativeLaunch = p.clusterLaunch = 1;
    p.memoryBusWidth = kMemoryBusBits;
    p.l2CacheSize = p.persistingL2CacheMaxSize = kL2Bytes;
    p.accessPolicyMaxWindowSize = kL2Bytes;
    p.clockRate = p.memoryClockRate = kClockKhz;
    p.singleToDoublePrecisionPerfRatio = 2;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess)
        return error;
    // What is not here is 0.
    const std::map<cudaDeviceAttr, std::size_t> values{
        {cudaDevAttrMaxThreadsPerBlock, kMaxThreads},
        {cudaDevAttrMaxBlockDimX, kMaxThreads},
        {cudaDevAttrMaxBlockDimY, kMaxThreads},
        {cudaDevAttrMaxBlockDimZ, kMaxBlockZ},
        {cudaDevAttrMaxGridDimX, kMaxGridX},
        {cudaDevAttrMaxGridDimY, kMaxGridYZ},
        {cudaDevAttrMaxGridDimZ, kMaxGridYZ},
        {cudaDevAttrMaxSharedMemoryPerBlock, kDefaultSharedBytes},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, kMaxSharedBytes},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kMultiprocessorSharedBytes},
        {cudaDevAttrReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, kConstantBytes},
        {cudaDevAttrWarpSize, kWarp},
        {cudaDevAttrMaxPitch, p.memPitch},
        {cudaDevAttrMaxRegistersPerBlock, kRegisters},
        {cudaDevAttrMaxRegistersPerMultiprocessor, kRegisters},
        {cudaDevAttrClockRate, kClockKhz},
        {cudaDevAttrMemoryClockRate, kClockKhz},
        {cudaDevAttrMultiProcessorCount, kMultiprocessors},
        {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerMultiprocessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, kBlocksPerMultiprocessor},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrGlobalMemoryBusWidth, kMemoryBusBits},
        {cudaDevAttrL2CacheSize, kL2Bytes},
        {cudaDevAttrMaxPersistingL2CacheSize, kL2Bytes},
        {cudaDevAttrMaxAccessPolicyWindowSize, kL2Bytes},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
        {cudaDevAttrTextureAlignment, p.textureAlignment},
        {cudaDevAttrSurfaceAlignment, p.textureAlignment},
        {cudaDevAttrTexturePitchAlignment, p.texturePitchAlignment},
    };
    constexpr std::array kYes{cudaDevAttrGpuOverlap,
                              cudaDevAttrMemoryPoolsSupported,
                              cudaDevAttrCanMapHostMemory,
                              cudaDevAttrConcurrentKernels,
                              cudaDevAttrAsyncEngineCount,
                              cudaDevAttrUnifiedAddressing,
                              cudaDevAttrStreamPrioritiesSupported,
                              cudaDevAttrGlobalL1CacheSupported,
                              cudaDevAttrLocalL1CacheSupported,
                              cudaDevAttrManagedMemory,
                              cudaDevAttrConcurrentManagedAccess,
                              cudaDevAttrComputePreemptionSupported,
                              cudaDevAttrCanUseHostPointerForRegisteredMem,
                              cudaDevAttrHostRegisterSupported,
                              cudaDevAttrCooperativeLaunch,
                              cudaDevAttrClusterLaunch,
                              cudaDevAttrDirectManagedMemAccessFromHost};
    const auto found = values.find(attribute);
    return give(value,
                found != values.end() ? static_cast<int>(found->second) : std::ranges::count(kYes, attribute) != 0,
                __builtin_return_address(0));
}
// NOLINTEND(readability-identifier-naming)
