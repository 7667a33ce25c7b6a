// What the programs of this folder share: the check of CUDA's calls, and the verdict that a program prints.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        const cudaError_t code = (call);                                                                             \
        if (code != cudaSuccess) {                                                                                   \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));                       \
            std::exit(1);                                                                                            \
        }                                                                                                            \
    } while (0)

// Device memory, whose content is undefined.
template <class T>
T* memory(std::size_t count = 1)
{
    T* on_device;
    CHECK(cudaMalloc(&on_device, count * sizeof(T)));
    return on_device;
}

template <class T>
T* zeros(std::size_t count = 1)
{
    T* const on_device = memory<T>(count);
    CHECK(cudaMemset(on_device, 0, count * sizeof(T)));
    return on_device;
}

template <class T, std::size_t count>
T* copy_of(const T (&host)[count])
{
    T* const on_device = memory<T>(count);
    CHECK(cudaMemcpy(on_device, host, sizeof host, cudaMemcpyHostToDevice));
    return on_device;
}

// The value after all kernels.
template <class T>
T value_of(const T* on_device)
{
    T value;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, on_device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// What main() returns.
inline int verdict(long long result, long long right)
{
    if (result == right)
        std::printf("right: %lld\n", result);
    else
        std::printf("WRONG: %lld, not %lld\n", result, right);
    return result == right ? 0 : 1;
}
