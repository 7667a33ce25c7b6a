// The functions of the CUDA runtime for devices, errors, streams, events and kernels.
#pragma once

#include "types.hpp"

// NOLINTBEGIN: these names are CUDA's.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetValidDevices(int* devices, int count);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaGetDeviceFlags(unsigned* flags);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
// Names of CUDA 12 and before. Builds for CUDA 13 give them as macros: -DcudaThreadSynchronize=cudaDeviceSynchronize.
#ifndef cudaThreadSynchronize
inline cudaError_t cudaThreadSynchronize()
{
    return cudaDeviceSynchronize();
}
#endif
#ifndef cudaThreadExit
inline cudaError_t cudaThreadExit()
{
    return cudaDeviceReset();
}
#endif
cudaError_t cudaCtxResetPersistingL2Cache();
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

namespace nestbed::program
{
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
bool null_stream_is_per_thread();
static const bool nestbed_null_stream = null_stream_is_per_thread();
#endif
// `kernel`: the address of a kernel.
cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t blocks_per_multiprocessor(int* blocks, const void* kernel, int block_threads,
                                      size_t dynamic_shared_bytes);
cudaError_t dynamic_shared_bytes_of(size_t* bytes, const void* kernel, int blocks, int block_threads);
cudaError_t max_clusters(int* clusters, const void* kernel, const cudaLaunchConfig_t& of);
cudaError_t max_cluster_size(int* blocks, const void* kernel);
int max_block(const void* kernel);
int multiprocessors();

// As CUDA's header does it: the largest of the blocks that fill a multiprocessor best.
template <class SharedBytes>
cudaError_t best_block(int* min_grid, int* block, const void* kernel, SharedBytes shared_bytes, int limit)
{
    const int max_threads = max_block(kernel);
    const int most = limit > 0 && limit < max_threads ? limit : max_threads;
    int best_threads = 0;
    for (int rounded = (most + 31) / 32 * 32; rounded > 0; rounded -= 32) {
        const int threads = rounded < most ? rounded : most;
        int blocks = 0;
        if (const cudaError_t error = blocks_per_multiprocessor(&blocks, kernel, threads, shared_bytes(threads)))
            return error;
        if (blocks * threads > best_threads) {
            best_threads = blocks * threads;
            *block = threads;
            *min_grid = blocks * multiprocessors();
        }
    }
    return cudaSuccess;
}
} // namespace nestbed::program

// Kernel: the type of a kernel, or void.
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel)
{
    return nestbed::program::function_attributes(attributes, (const void*)kernel);
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value)
{
    return nestbed::program::set_function_attribute((const void*)kernel, attribute, value);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache)
{
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig)
{
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int block_threads,
                                                          size_t dynamic_shared_bytes)
{
    return nestbed::program::blocks_per_multiprocessor(blocks, (const void*)kernel, block_threads,
                                                       dynamic_shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int block_threads,
                                                                   size_t dynamic_shared_bytes, unsigned)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_threads, dynamic_shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Kernel* kernel, int blocks, int block_threads)
{
    return nestbed::program::dynamic_shared_bytes_of(bytes, (const void*)kernel, blocks, block_threads);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, Kernel* kernel, const cudaLaunchConfig_t* configuration)
{
    return nestbed::program::max_clusters(clusters, (const void*)kernel, *configuration);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, Kernel* kernel, const cudaLaunchConfig_t*)
{
    return nestbed::program::max_cluster_size(blocks, (const void*)kernel);
}
template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid, int* block, Kernel* kernel,
                                                           SharedBytes shared_bytes, int limit = 0)
{
    return nestbed::program::best_block(min_grid, block, (const void*)kernel, shared_bytes, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid, int* block, Kernel* kernel, size_t shared_bytes = 0,
                                               int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        min_grid, block, kernel, [shared_bytes](int) { return shared_bytes; }, limit);
}
// NOLINTEND
