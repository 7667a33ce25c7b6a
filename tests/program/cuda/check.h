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

template <class T>
T value_of(const T* on_device)
{
    T value;
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
