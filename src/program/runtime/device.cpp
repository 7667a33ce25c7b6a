// The device that programs see: one, with the properties of a GPU of compute capability 9.0 and few multiprocessors.
#include "device/cpu/observer.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/state.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nestbed::program
{

namespace
{

// Few, so that programs which size their grids by it stay small.
constexpr int kMultiprocessors = 8;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kWarp = 32;
constexpr int kMaxThreads = static_cast<int>(cpu::kMaxThreadsPerBlock);
constexpr int kMaxGridX = 0x7FFFFFFF;
constexpr int kMaxGridYZ = 65535;
constexpr int kMaxBlockZ = 64;
constexpr int kRegisters = 65536;
constexpr int kClockKhz = 1'000'000;
constexpr int kConstantBytes = 65536;
constexpr int kL2Bytes = 32 << 20;
constexpr int kMemoryBusBits = 256;
constexpr int kMultiprocessorSharedBytes = 228 * 1024;
constexpr int kRuntimeVersion = CUDART_VERSION;
constexpr const char* kBusId = "0000:00:00.0";

std::array<std::size_t, cudaLimitPersistingL2CacheSize + 1> default_limits()
{
    return {1024, std::size_t{1} << 20U, std::size_t{8} << 20U, 24, kDefaultPendingLimit, 64, 0};
}
std::array limits = default_limits();
unsigned device_flags = 0;

cudaError_t checked_device(int device)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    return noted(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

} // namespace

cudaError_t function_attributes(cudaFuncAttributes* attributes)
{
    constexpr int kRegistersPerThread = 32;
    constexpr int kVersion = 90;
    *attributes = {};
    attributes->maxThreadsPerBlock = kMaxThreads;
    attributes->numRegs = kRegistersPerThread;
    attributes->ptxVersion = kVersion;
    attributes->binaryVersion = kVersion;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(state().max_dynamic_shared_bytes);
    return noted(sticky_error());
}

cudaError_t set_function_attribute(cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > kMaxSharedBytes)
        return noted(cudaErrorInvalidValue);
    // For all kernels: a kernel is not known by its address here.
    state().max_dynamic_shared_bytes = std::max(state().max_dynamic_shared_bytes, static_cast<std::size_t>(value));
    return cudaSuccess;
}

cudaError_t blocks_per_multiprocessor(int* blocks, int block_threads, size_t dynamic_shared_bytes)
{
    if (block_threads <= 0 || block_threads > kMaxThreads)
        return noted(cudaErrorInvalidValue);
    const int warps = (block_threads + kWarp - 1) / kWarp;
    *blocks = std::min(kBlocksPerMultiprocessor, kThreadsPerMultiprocessor / (warps * kWarp));
    constexpr std::size_t kReservedBytes = 1024; // per block
    *blocks =
        std::min(*blocks, static_cast<int>(kMultiprocessorSharedBytes / (dynamic_shared_bytes + kReservedBytes)));
    return cudaSuccess;
}

cudaError_t best_block(int* min_grid, int* block, int limit)
{
    *block = limit > 0 ? std::min(limit, kMaxThreads) : kMaxThreads;
    int blocks = 0;
    const cudaError_t error = blocks_per_multiprocessor(&blocks, *block, 0);
    *min_grid = blocks * kMultiprocessors;
    return error;
}

unsigned long long clock_ns()
{
    return now_ns();
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 1;
    return noted(sticky_error());
}

cudaError_t cudaGetDevice(int* device)
{
    *device = 0;
    return noted(sticky_error());
}

cudaError_t cudaSetDevice(int device)
{
    return checked_device(device);
}

cudaError_t cudaSetValidDevices(int* /*devices*/, int /*count*/)
{
    return noted(sticky_error());
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/)
{
    return checked_device(device);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* /*properties*/)
{
    *device = 0;
    return noted(sticky_error());
}

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

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit)
{
    if (static_cast<std::size_t>(limit) >= limits.size())
        return noted(cudaErrorUnsupportedLimit);
    *value = limit == cudaLimitDevRuntimePendingLaunchCount ? state().executor.pending_limit() : limits.at(limit);
    return noted(sticky_error());
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    constexpr std::size_t kMostPending = std::size_t{1} << 30U;
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (static_cast<std::size_t>(limit) >= limits.size())
        return noted(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitDevRuntimePendingLaunchCount && !environment().pending_limit)
        state().executor.set_pending_limit(static_cast<unsigned>(std::min(value, kMostPending)));
    limits.at(limit) = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset()
{
    host_waited();
    set_sticky_error(cudaSuccess);
    free_all_memory();
    limits = default_limits();
    state().max_dynamic_shared_bytes = kDefaultSharedBytes;
    state().executor.set_pending_limit(environment().pending_limit.value_or(kDefaultPendingLimit));
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config)
{
    *config = cudaFuncCachePreferNone;
    return noted(sticky_error());
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*config*/)
{
    return noted(sticky_error());
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return noted(sticky_error());
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/)
{
    return noted(sticky_error());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    *least = *greatest = 0;
    return noted(sticky_error());
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device)
{
    if (const cudaError_t error = checked_device(device); error != cudaSuccess)
        return error;
    if (length <= static_cast<int>(std::strlen(kBusId)))
        return noted(cudaErrorInvalidValue);
    std::strcpy(id, kBusId); // NOLINT: its length was checked
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* /*id*/)
{
    *device = 0;
    return noted(sticky_error());
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/)
{
    *can = 0;
    return noted(sticky_error());
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/)
{
    return noted(cudaErrorInvalidDevice); // there is one device
}

cudaError_t cudaDeviceDisablePeerAccess(int /*peer*/)
{
    return noted(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaGetDeviceFlags(unsigned* flags)
{
    *flags = device_flags;
    return noted(sticky_error());
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags;
    return noted(sticky_error());
}

cudaError_t cudaDriverGetVersion(int* version)
{
    *version = kRuntimeVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    *version = kRuntimeVersion;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart()
{
    return noted(sticky_error());
}

cudaError_t cudaProfilerStop()
{
    return noted(sticky_error());
}
// NOLINTEND(readability-identifier-naming)
