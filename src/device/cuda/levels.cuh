// What level after level needs: a word that the device maps, launches that may begin before the grid before has ended,
// and blocks that wait for each other in a cluster.
#pragma once

#include "device/cuda/context.cuh"

#include <atomic>
#include <memory>

namespace nestbed::inline on_cuda
{

// A number in the host's memory that kernels write and the host reads while they run.
class MappedWord
{
  public:
    MappedWord()
    {
        unsigned* word = nullptr;
        check(cudaHostAlloc(&word, sizeof(unsigned), cudaHostAllocMapped));
        word_.reset(word);
        clear();
    }
    void clear() { *word_ = 0; }
    // For kernels: publish() below.
    unsigned* on_device() const
    {
        unsigned* word = nullptr;
        check(cudaHostGetDevicePointer(&word, word_.get(), 0));
        return word;
    }
    // Waits until a kernel has written the word, and returns it. Throws CudaError if a kernel failed, and RunError if
    // the stream has no more work and the word is still 0.
    unsigned wait(cudaStream_t stream) const
    {
        constexpr unsigned kLooks = 1U << 16; // reads of the word per question whether the stream still works
        for (unsigned look = 1;; ++look) {
            if (const unsigned word = seen(); word != 0)
                return word;
            if (look % kLooks != 0)
                continue;
            const cudaError_t state = cudaStreamQuery(stream);
            if (state == cudaErrorNotReady)
                continue;
            check(state);
            if (seen() == 0)
                throw RunError("a kernel ended and did not write the number that the host waits for");
        }
    }

  private:
    struct Free {
        void operator()(unsigned* word) const noexcept { static_cast<void>(cudaFreeHost(word)); }
    };
    unsigned seen() const { return std::atomic_ref(*word_).load(std::memory_order_acquire); }
    std::unique_ptr<unsigned, Free> word_;
};

// Writes a word of MappedWord after all that the calling thread has written.
__device__ inline void publish(unsigned* word, unsigned value)
{
    __threadfence_system();
    *static_cast<volatile unsigned*>(word) = value;
}

// Launches a grid that may begin before the one before it in stream 0 has ended. Its kernel must call
// after_previous_grid() before it reads what that grid wrote, and let_next_grid_begin() when the next one may begin.
// Source: CUDA C++ programming guide, "Programmatic dependent launch"; compute capability 9.0 or later.
template <auto Kernel, class... Args>
void programmatic_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.stream = context.stream(0);
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, Kernel, args...));
}

// Returns when the previous grid has ended and all its writes are visible.
__device__ inline void after_previous_grid()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
// The next grid begins when all blocks have called it or ended. What is written after it may not be visible there
// before after_previous_grid() returns.
__device__ inline void let_next_grid_begin()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Blocks of a cluster on any device. A device that has clusters allows 8, more if it has room.
inline constexpr unsigned kMaxClusterBlocks = 16;

// Calls call(config) with the configuration of a grid that is one cluster.
template <class Call>
void with_cluster(LaunchShape shape, cudaStream_t stream, const Call& call)
{
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = shape.grid.x;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    call(config);
}

// Whether the device has room for this cluster. Allows the kernel clusters of more than 8 blocks.
// Source: CUDA C++ programming guide, "Thread block clusters"; compute capability 9.0 or later.
template <auto Kernel>
bool cluster_fits(LaunchShape shape)
{
    if (shape.grid.x > kMaxClusterBlocks)
        return false;
    check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int clusters = 0;
    with_cluster(shape, nullptr, [&](const cudaLaunchConfig_t& config) {
        const cudaError_t code = cudaOccupancyMaxActiveClusters(&clusters, Kernel, &config);
        if (code == cudaErrorInvalidClusterSize)
            static_cast<void>(cudaGetLastError()); // not sticky: the next check must not find this error
        else
            check(code);
    });
    return clusters > 0;
}

// Launches a grid whose blocks are one cluster. cluster_fits() must have said that it fits.
template <auto Kernel, class... Args>
void cluster_launch(Context& context, LaunchShape shape, Args... args)
{
    context.count_host_launch();
    with_cluster(shape, context.stream(0),
                 [&](const cudaLaunchConfig_t& config) { check(cudaLaunchKernelEx(&config, Kernel, args...)); });
}

} // namespace nestbed::inline on_cuda
