// The part of the CUDA language that kernels use, for the compiler of the executor's build: the same syntax,
// implemented by the executor. Only strategy and backend files that are compiled for the executor include it.
#pragma once

#include "device/cpu/executor.hpp"
#include "device/cpu/kernel_functions.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <type_traits>

// The race detector's copy (GCC's -fsanitize=thread): the compiler shows no accesses of these functions, so the detector has its own
// (device/races/hooks.cpp). Such a copy is compiled with -fno-builtin-memcpy and so on.
#ifdef __SANITIZE_THREAD__
extern "C" {
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept __asm__("nestbed_watched_memcpy");
void* memmove(void* to, const void* from, std::size_t bytes) noexcept __asm__("nestbed_watched_memmove");
void* memset(void* to, int byte, std::size_t bytes) noexcept __asm__("nestbed_watched_memset");
}
#endif

// NOLINTBEGIN: these names are CUDA's.
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define LAUNCH_BOUNDS(...)
#define __grid_constant__

#define threadIdx (::nestbed::cpu::current_thread->thread_index)
#define blockIdx (::nestbed::cpu::current_thread->block_index)
#define blockDim (::nestbed::cpu::current_thread->block_dim)
#define gridDim (::nestbed::cpu::current_thread->grid_dim)

// __shared__ T name[count]: memory that the threads of a block share, not initialised. Each declaration has its own
// memory.
#define BLOCK_SHARED(T, name, count)                                                                                 \
    static const char name##_key = 0;                                                                                \
    T* const name = static_cast<T*>(                                                                                 \
        ::nestbed::cpu::shared_memory(&name##_key, sizeof(T) * (count), ::nestbed::cpu::kElement<T>, #name))

// extern __shared__: see device/cuda/kernel_language.cuh.
#define DYNAMIC_SHARED(T, name)                                                                                      \
    T* const name = static_cast<T*>(::nestbed::cpu::dynamic_shared_memory(::nestbed::cpu::kElement<T>, #name))

inline void __syncthreads(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    nestbed::cpu::barrier(file, line);
}
inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    unsigned threads = 0;
    return static_cast<int>(nestbed::cpu::barrier_count(predicate != 0, threads, file, line));
}

inline void __threadfence()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// CUDA's atomic functions do not order other memory operations: relaxed.
template <class T>
T atomicAdd(T* address, T value)
{
    return std::atomic_ref<T>(*address).fetch_add(value, std::memory_order_relaxed);
}

template <class T>
T atomicSub(T* address, T value)
{
    return std::atomic_ref<T>(*address).fetch_sub(value, std::memory_order_relaxed);
}

template <class T>
T atomicExch(T* address, T value)
{
    return std::atomic_ref<T>(*address).exchange(value, std::memory_order_relaxed);
}

template <class T>
T atomicOr(T* address, T value)
{
    return std::atomic_ref<T>(*address).fetch_or(value, std::memory_order_relaxed);
}

template <class T>
T atomicAnd(T* address, T value)
{
    return std::atomic_ref<T>(*address).fetch_and(value, std::memory_order_relaxed);
}

template <class T>
T atomicXor(T* address, T value)
{
    return std::atomic_ref<T>(*address).fetch_xor(value, std::memory_order_relaxed);
}

template <class T>
T atomicMin(T* address, T value)
{
    std::atomic_ref<T> least(*address);
    T old = least.load(std::memory_order_relaxed);
    while (value < old && !least.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
}
template <class T>
T atomicMax(T* address, T value)
{
    std::atomic_ref<T> most(*address);
    T old = most.load(std::memory_order_relaxed);
    while (value > old && !most.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
}
template <class T>
T atomicCAS(T* address, T expected, T desired)
{
    std::atomic_ref<T>(*address).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
    return expected;
}
// NOLINTEND
