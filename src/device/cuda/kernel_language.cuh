// What kernels use in addition to CUDA itself: shared memory, the timer, and launches.
#pragma once

#include "model/mechanism.hpp"

#include <cuda_runtime.h>

namespace nestbed::inline on_cuda
{

// Number of threads of a block that run in lockstep: a warp.
inline constexpr unsigned kLockstepThreads = 32;

struct LaunchShape {
    dim3 grid;
    dim3 block;
    unsigned shared_bytes = 0; // of DYNAMIC_SHARED, per block
};

// Declares an array that the threads of a block share. It is not initialised. Declare a large array in the kernel
// itself. If it is declared in a function that several kernels of a file call, nvlink gives it to every kernel of the
// program that has any shared memory (nvlink -v, CUDA 13.0).
#define BLOCK_SHARED(T, name, count) __shared__ T name[count]

// Declares an array that the threads of a block share, of as many bytes as the launch asked for (LaunchShape). It is not
// initialised. A kernel has one at most.
#define DYNAMIC_SHARED(T, name)                                                                                      \
    extern __shared__ uint4 nestbed_dynamic_shared[];                                                                \
    T* const name = reinterpret_cast<T*>(nestbed_dynamic_shared)

// Launch bounds, but not in a debug build: it inlines nothing, and the functions need more registers than the bounds
// allow.
#ifdef __CUDACC_DEBUG__
#define LAUNCH_BOUNDS(...)
#else
#define LAUNCH_BOUNDS(...) __launch_bounds__(__VA_ARGS__)
#endif

// Nanoseconds on a clock that all multiprocessors share. The clock advances in steps (Session::timer_step_ns).
__device__ inline unsigned long long timer_ns()
{
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// The multiprocessor on which the calling thread runs.
__device__ inline unsigned multiprocessor()
{
    unsigned number = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

// True in the first thread of a block. The warps of a block begin together, so this thread marks the begin for all.
__device__ inline bool begins_for_others()
{
    return threadIdx.x + threadIdx.y + threadIdx.z == 0;
}

// True in one of the threads of a warp that reach this point together. That thread marks the end for the others.
__device__ inline bool ends_for_others()
{
    const unsigned lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % kLockstepThreads;
    return lane == static_cast<unsigned>(__ffs(static_cast<int>(__activemask())) - 1);
}

// Atomic operations that order other memory operations, with device scope. cuda::atomic_ref compiles to the same
// instructions, but nvcc would need as much time for <cuda/atomic> as for all other headers of a strategy together.
__device__ inline unsigned load_acquire(const unsigned* address)
{
    unsigned value = 0;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}
// Loads that race with atomic operations of other threads. This one sees what the L2 cache has.
__device__ inline unsigned load_relaxed(const unsigned* address)
{
    unsigned value = 0;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(address));
    return value;
}
__device__ inline unsigned long long load_relaxed(const unsigned long long* address)
{
    unsigned long long value = 0;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(address));
    return value;
}
// The same where one block alone runs: it may also see what its own L1 cache has, which is nearer.
__device__ inline unsigned load_in_block(const unsigned* address)
{
    unsigned value = 0;
    asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(address));
    return value;
}
__device__ inline void store_release(unsigned* address, unsigned value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}
__device__ inline void store_relaxed(unsigned* address, unsigned value)
{
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}
__device__ inline unsigned fetch_add_acq_rel(unsigned* address, unsigned value)
{
    unsigned before = 0;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(value) : "memory");
    return before;
}

// The same address, of which the compiler no longer knows whose it is. nvcc warns where it sees that the pointer given to a child is to
// local memory, and takes a pointer that a kernel is given for one to global memory: a load through it would be from another address.
template <class T>
__device__ T* of_any_memory(T* pointer)
{
    asm volatile("" : "+l"(pointer));
    return pointer;
}

// Delays the calling thread by `us` microseconds.
__device__ inline void busy_wait_us(unsigned us)
{
    const unsigned long long start = timer_ns();
    while (timer_ns() - start < 1000ULL * us) {
    }
}

#ifdef __CUDACC_RDC__ // launches from a kernel need -rdc=true

// Launches from a kernel. Returns CUDA's error code.
template <auto Kernel, Mechanism How, class... Args>
__device__ int device_launch(LaunchShape shape, Args... args)
{
    if constexpr (How == Mechanism::null_stream) {
        Kernel<<<shape.grid, shape.block, shape.shared_bytes>>>(args...);
    } else if constexpr (How == Mechanism::named_stream) {
        cudaStream_t stream = nullptr;
        if (const int error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); error != cudaSuccess)
            return error;
        Kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(args...);
        const int error = cudaGetLastError();
        cudaStreamDestroy(stream); // takes effect when the work in the stream is done
        return error;
    } else if constexpr (How == Mechanism::fire_and_forget) {
        Kernel<<<shape.grid, shape.block, shape.shared_bytes, cudaStreamFireAndForget>>>(args...);
    } else if constexpr (How == Mechanism::tail) {
        Kernel<<<shape.grid, shape.block, shape.shared_bytes, cudaStreamTailLaunch>>>(args...);
    } else {
        return cudaErrorNotSupported; // Context::has() excludes these
    }
    return cudaGetLastError();
}

template <auto Kernel, class... Args>
__device__ int device_launch_into(cudaStream_t stream, LaunchShape shape, Args... args)
{
    Kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(args...);
    return cudaGetLastError();
}

template <auto Kernel, class... Args>
__device__ int device_launch_to_wait_for(LaunchShape shape, Args... args)
{
    return device_launch<Kernel, Mechanism::null_stream>(shape, args...);
}

// Launches a device graph from a kernel of a device graph. Returns CUDA's error code.
template <Mechanism How>
__device__ int launch_device_graph(cudaGraphExec_t graph)
{
    if constexpr (How == Mechanism::graph_fire_and_forget)
        return cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
    else if constexpr (How == Mechanism::graph_sibling)
        return cudaGraphLaunch(graph, cudaStreamGraphFireAndForgetAsSibling);
    else
        return cudaGraphLaunch(graph, cudaStreamGraphTailLaunch);
}

// The current device runtime cannot wait, but the child can set a flag in memory when it is done. The parent stays
// resident while it waits, so the host must not launch more chains than fit (model/launch_plan.hpp). If the host
// does, a parent gives up after some time: a wrong plan then gives a row with status=timeout, not a GPU that hangs.
__device__ inline bool wait_for_child(unsigned* flag, unsigned long long patience_ns)
{
    constexpr unsigned kLooks = 1024; // reads of the flag per read of the timer, which is slow
    const unsigned long long start = timer_ns();
    for (unsigned look = 1; load_acquire(flag) == 0; ++look)
        if (look % kLooks == 0 && timer_ns() - start > patience_ns)
            return false;
    store_relaxed(flag, 0); // reset for the next child
    return true;
}
__device__ inline void signal_parent(unsigned* flag)
{
    store_release(flag, 1);
}
#endif // __CUDACC_RDC__

} // namespace nestbed::inline on_cuda
