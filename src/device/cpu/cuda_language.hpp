// The part of the CUDA language that kernels use, for the compiler of the executor's copy: the same
// spellings, answered by the executor. Only strategy and backend files compiled for the executor include it.
#pragma once

#include "device/cpu/executor.hpp"

#include <atomic>
#include <cstdio>
#include <type_traits>

// NOLINTBEGIN: these names are CUDA's.
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__

#define threadIdx (::nestbed::cpu::current_thread->thread_index)
#define blockIdx (::nestbed::cpu::current_thread->block_index)
#define blockDim (::nestbed::cpu::current_thread->block_dim)
#define gridDim (::nestbed::cpu::current_thread->grid_dim)

// __shared__ T name[count]: memory that the threads of a block share, not initialised. Each place that declares some has its own.
#define BLOCK_SHARED(T, name, count)                                                                                 \
    static const char name##_key = 0;                                                                                \
    T* const name = static_cast<T*>(                                                                                 \
        ::nestbed::cpu::shared_memory(&name##_key, sizeof(T) * (count), ::nestbed::cpu::kElement<T>, #name))

inline void __syncthreads()
{
    nestbed::cpu::barrier();
}

inline void __threadfence()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// CUDA's atomics order nothing by themselves: relaxed.
template <class T>
T atomicAdd(T* address, T value)
{
    return std::atomic_ref<T>(*address).fetch_add(value, std::memory_order_relaxed);
}

inline unsigned long long atomicMin(unsigned long long* address, unsigned long long value)
{
    std::atomic_ref<unsigned long long> least(*address);
    unsigned long long old = least.load(std::memory_order_relaxed);
    while (value < old && !least.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
}
inline unsigned long long atomicMax(unsigned long long* address, unsigned long long value)
{
    std::atomic_ref<unsigned long long> most(*address);
    unsigned long long old = most.load(std::memory_order_relaxed);
    while (value > old && !most.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
}
inline int atomicCAS(int* address, int expected, int desired)
{
    std::atomic_ref<int>(*address).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
    return expected;
}
// NOLINTEND
