// Memory in the order of streams, and the pools that it comes from.
#pragma once

#include "launch.hpp"
#include "types.hpp"

// NOLINTBEGIN: these names are CUDA's.
typedef struct CUmemPoolHandle_st* cudaMemPool_t;

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned = 1,
    cudaMemAllocationTypeManaged = 2
};
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone = 0,
    cudaMemHandleTypePosixFileDescriptor = 1,
    cudaMemHandleTypeWin32 = 2,
    cudaMemHandleTypeWin32Kmt = 4,
    cudaMemHandleTypeFabric = 8
};
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0,
    cudaMemAccessFlagsProtRead = 1,
    cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void* win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* of, size_t count);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);

namespace nestbed::program
{
// In the order of a stream; a node of a graph if the stream is captured. `pool`: nullptr for that of the device.
cudaError_t allocate_from_pool(void** memory, std::size_t bytes, std::size_t element_bytes, const char* name,
                               Place place, cudaMemPool_t pool, cudaStream_t stream);
} // namespace nestbed::program

// The rewriter adds the name of the variable.
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream,
                                    const char* name = "device memory",
                                    nestbed::program::Place place = {__builtin_FILE(), __builtin_LINE()})
{
    return nestbed::program::allocate_from_pool((void**)memory, bytes, nestbed::program::kElementBytes<T>, name,
                                                place, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream,
                            const char* name = "device memory",
                            nestbed::program::Place place = {__builtin_FILE(), __builtin_LINE()})
{
    return cudaMallocFromPoolAsync(memory, bytes, pool, stream, name, place);
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaStream_t stream, const char* name = "device memory",
                            nestbed::program::Place place = {__builtin_FILE(), __builtin_LINE()})
{
    return nestbed::program::allocate_from_pool((void**)memory, bytes, nestbed::program::kElementBytes<T>, name,
                                                place, nullptr, stream);
}
// NOLINTEND
