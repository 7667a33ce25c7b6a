// CUDA's words, built-in variables and vector types. The rewriter removes __device__, __global__ and __shared__.
#pragma once

#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__ // the real nvcc, which found one of nestbed's headers by CPLUS_INCLUDE_PATH
#error "nestbed: the build called an nvcc that is not the first one on the PATH: make NVCC=nvcc"
#endif

#if __has_include("nestbed/thread.hpp")
#include "nestbed/thread.hpp" // beside the program `nestbed`: a copy
#else
#include "device/cpu/thread.hpp"
#endif

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <new>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <utility>

// The compiler shows no accesses of these functions to the race detector (GCC's -fsanitize=thread), so it has its own.
// A watched program is compiled with -fno-builtin-memcpy and so on.
#ifdef __SANITIZE_THREAD__
extern "C" {
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept __asm__("nestbed_watched_memcpy");
void* memmove(void* to, const void* from, std::size_t bytes) noexcept __asm__("nestbed_watched_memmove");
void* memset(void* to, int byte, std::size_t bytes) noexcept __asm__("nestbed_watched_memset");
}
#endif

// NOLINTBEGIN: these names are CUDA's.
#ifdef __CUDACC__ // the rewriter removes these words, or puts attributes in their place
#define __device__ __device__
#define __host__ __host__
#define __launch_bounds__(...) __launch_bounds__(__VA_ARGS__)
#define __cluster_dims__(...) __cluster_dims__(__VA_ARGS__)
#define __constant__ __attribute__((nestbed_constant)) // for the rewriter and the plugin of the compiler
#define __managed__ __attribute__((nestbed_managed))
#else // a C++ file: the rewriter does not see it, and it only declares kernels
#define __device__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __global__
#define __shared__
#define __host__
#define __constant__
#define __managed__
#endif
#define __forceinline__ inline
#define __noinline__
#define __inline__ inline
#define __maxnreg__(...)
#define __block_size__(...)
#define __grid_constant__
#define __nv_pure__
#define __device_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_CB
#define CUDARTAPI
#define CUDART_VERSION 13000
#define CUDART_API_VERSION CUDART_VERSION

// Include guards of CUDA's headers, which programs ask for.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__

#ifdef __CUDACC__
// The rewriter knows these expressions (rewrite/own_names.cpp).
#define threadIdx (::nestbed::cpu::current_thread->thread_index)
#define blockIdx (::nestbed::cpu::current_thread->block_index)
#define blockDim (::nestbed::cpu::current_thread->block_dim)
#define gridDim (::nestbed::cpu::current_thread->grid_dim)
#else // a C++ file may have variables of these names, and headers for both kinds of files may use them
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
#endif
inline constexpr int warpSize = 32;

#define NESTBED_VECTORS(T, name, align_2, align_4)                                                                   \
    struct name##1                                                                                                   \
    {                                                                                                                \
        T x;                                                                                                         \
    };                                                                                                               \
    struct alignas(align_2) name##2                                                                                  \
    {                                                                                                                \
        T x, y;                                                                                                      \
    };                                                                                                               \
    struct alignas(align_4) name##4                                                                                  \
    {                                                                                                                \
        T x, y, z, w;                                                                                                \
    };                                                                                                               \
    inline name##1 make_##name##1(T x)                                                                               \
    {                                                                                                                \
        return {x};                                                                                                  \
    }                                                                                                                \
    inline name##2 make_##name##2(T x, T y)                                                                          \
    {                                                                                                                \
        return {x, y};                                                                                               \
    }                                                                                                                \
    inline name##4 make_##name##4(T x, T y, T z, T w)                                                                \
    {                                                                                                                \
        return {x, y, z, w};                                                                                         \
    }
#define NESTBED_VECTORS_OF_3(T, name)                                                                                \
    struct name##3                                                                                                   \
    {                                                                                                                \
        T x, y, z;                                                                                                   \
    };                                                                                                               \
    inline name##3 make_##name##3(T x, T y, T z)                                                                     \
    {                                                                                                                \
        return {x, y, z};                                                                                            \
    }
NESTBED_VECTORS(signed char, char, 2, 4)
NESTBED_VECTORS(unsigned char, uchar, 2, 4)
NESTBED_VECTORS(short, short, 4, 8)
NESTBED_VECTORS(unsigned short, ushort, 4, 8)
NESTBED_VECTORS(int, int, 8, 16)
NESTBED_VECTORS(unsigned, uint, 8, 16)
NESTBED_VECTORS(long, long, 16, 16)
NESTBED_VECTORS(unsigned long, ulong, 16, 16)
NESTBED_VECTORS(long long, longlong, 16, 16)
NESTBED_VECTORS(unsigned long long, ulonglong, 16, 16)
NESTBED_VECTORS(float, float, 8, 16)
NESTBED_VECTORS(double, double, 16, 16)
NESTBED_VECTORS_OF_3(signed char, char)
NESTBED_VECTORS_OF_3(unsigned char, uchar)
NESTBED_VECTORS_OF_3(short, short)
NESTBED_VECTORS_OF_3(unsigned short, ushort)
NESTBED_VECTORS_OF_3(int, int)
NESTBED_VECTORS_OF_3(long, long)
NESTBED_VECTORS_OF_3(unsigned long, ulong)
NESTBED_VECTORS_OF_3(long long, longlong)
NESTBED_VECTORS_OF_3(unsigned long long, ulonglong)
NESTBED_VECTORS_OF_3(float, float)
NESTBED_VECTORS_OF_3(double, double)
#undef NESTBED_VECTORS
#undef NESTBED_VECTORS_OF_3
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
    return {x, y, z};
}
// NOLINTEND
