// The functions of the CUDA runtime for memory. The rewriter adds the name of the variable to allocations.
#pragma once

#include "launch.hpp"
#include "memory_pools.hpp"
#include "types.hpp"

namespace nestbed::program
{
enum class MemoryKind : unsigned char {
    device,
    container,   // of the device, which the host may access: Thrust's
    kernel_heap, // of malloc(), new and cudaMalloc() in kernels
    managed,
    host,
    registered
};

// Returns cudaErrorMemoryAllocation if there is not enough memory. `name`: for reports.
cudaError_t allocate(void** memory, std::size_t bytes, std::size_t element_bytes, const char* name, Place place,
                     MemoryKind kind);
cudaError_t allocate_pitched(void** memory, std::size_t* pitch, std::size_t width, std::size_t height,
                             std::size_t element_bytes, const char* name, Place place);
// cudaSuccess: memory can be allocated, also while streams are captured.
cudaError_t refused_allocation(const char* function);
// A copy to or from a __device__ or __constant__ variable.
cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* to, const void* from,
                        std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool waits);

// The address on the device of a variable that may be the host's shadow of it.
void* variable_of_symbol(const void* symbol);
// Tells the race detector of a variable of kernels. Returns true.
enum class VariableKind : unsigned char { device, constant, managed };
bool known_variable(const void* begin, std::size_t bytes, std::size_t element_bytes, const char* name,
                    VariableKind kind);

template <class T>
void* address_of(const T& symbol)
{
    return variable_of_symbol(const_cast<const void*>(
        reinterpret_cast<const volatile void*>(&reinterpret_cast<const volatile char&>(symbol))));
}
// What the rewriter puts behind each variable of kernels.
template <class T>
bool register_symbol(const T& symbol, const char* name, VariableKind kind)
{
    return known_variable(address_of(symbol), sizeof(T), kElementBytes<T>, name, kind);
}
} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
// The place is that of the call.
#define NESTBED_NAMED(name_without)                                                                                  \
    const char *name = name_without, nestbed::program::Place place = {__builtin_FILE(), __builtin_LINE()}
template <class T>
cudaError_t cudaMalloc(T** memory, size_t bytes, NESTBED_NAMED("device memory"))
{
    if (const cudaError_t error = nestbed::program::refused_allocation("cudaMalloc"))
        return error;
    return nestbed::program::allocate((void**)memory, bytes, nestbed::program::kElementBytes<T>, name, place,
                                      nestbed::program::MemoryKind::device);
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, size_t bytes, NESTBED_NAMED("managed memory"))
{
    return nestbed::program::allocate((void**)memory, bytes, nestbed::program::kElementBytes<T>, name, place,
                                      nestbed::program::MemoryKind::managed);
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, size_t bytes, unsigned, NESTBED_NAMED("managed memory"))
{
    return cudaMallocManaged(memory, bytes, name, place);
}
template <class T>
cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height, NESTBED_NAMED("pitched memory"))
{
    return nestbed::program::allocate_pitched((void**)memory, pitch, width, height,
                                              nestbed::program::kElementBytes<T>, name, place);
}
template <class T>
cudaError_t cudaMallocHost(T** memory, size_t bytes, NESTBED_NAMED("host memory"))
{
    return nestbed::program::allocate((void**)memory, bytes, nestbed::program::kElementBytes<T>, name, place,
                                      nestbed::program::MemoryKind::host);
}
template <class T>
cudaError_t cudaMallocHost(T** memory, size_t bytes, unsigned, NESTBED_NAMED("host memory"))
{
    return cudaMallocHost(memory, bytes, name, place);
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, size_t bytes, unsigned, NESTBED_NAMED("host memory"))
{
    return cudaMallocHost(memory, bytes, name, place);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent, NESTBED_NAMED("pitched memory"))
{
    void* begin = nullptr;
    size_t pitch = 0;
    const cudaError_t error = nestbed::program::allocate_pitched(&begin, &pitch, extent.width,
                                                                 extent.height * extent.depth, 1, name, place);
    *memory = {begin, pitch, extent.width, extent.height};
    return error;
}
#undef NESTBED_NAMED
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned)
{
    *device = (T*)host;
    return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host);
cudaError_t cudaHostRegister(void* host, size_t bytes, unsigned flags = 0);
cudaError_t cudaHostUnregister(void* host);
cudaError_t cudaFree(void* memory);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                       cudaStream_t stream = nullptr)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* to, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* to, size_t pitch, int byte, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int byte, size_t width, size_t height,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset3D(cudaPitchedPtr to, int byte, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int byte, cudaExtent extent, cudaStream_t stream = nullptr);
// All memory is the same memory here: these do nothing.
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation)
{
    return cudaSuccess;
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned = cudaMemAttachSingle)
{
    return cudaSuccess;
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return {width, height, depth};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return {x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* memory, size_t pitch, size_t width, size_t height)
{
    return {memory, pitch, width, height};
}

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return nestbed::program::copy_symbol(nestbed::program::address_of(symbol), sizeof(T), offset, nullptr, from,
                                         bytes, kind, stream, false);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return nestbed::program::copy_symbol(nestbed::program::address_of(symbol), sizeof(T), offset, nullptr, from,
                                         bytes, kind, nullptr, true);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr)
{
    return nestbed::program::copy_symbol(nestbed::program::address_of(symbol), sizeof(T), offset, to, nullptr, bytes,
                                         kind, stream, false);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return nestbed::program::copy_symbol(nestbed::program::address_of(symbol), sizeof(T), offset, to, nullptr, bytes,
                                         kind, nullptr, true);
}
template <class Pointer, class T>
cudaError_t cudaGetSymbolAddress(Pointer** address, const T& symbol)
{
    *address = (Pointer*)nestbed::program::address_of(symbol);
    return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T&)
{
    *bytes = sizeof(T);
    return cudaSuccess;
}
// NOLINTEND
