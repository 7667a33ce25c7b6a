// What a host needs to make level after level when the device decides whether there is another: a WHILE node, a word
// that the device maps, and launches that may begin before the grid before has ended.
#pragma once

#include "device/cuda/context.cuh"

#include <atomic>
#include <functional>
#include <memory>

namespace nestbed::inline on_cuda
{

// An executable graph of one WHILE node. `body(stream, handle)` launches its body into the stream, where a kernel sets
// the condition by cudaGraphSetConditional(handle, 0 or 1). The condition is 1 at the start of each launch of the graph.
// Source: CUDA C++ programming guide, "Conditional graph nodes".
template <class Body>
Graph capture_while(Context& context, const Body& body)
{
    struct Destroy {
        void operator()(cudaGraph_t graph) const noexcept { static_cast<void>(cudaGraphDestroy(graph)); }
    };
    cudaGraph_t made = nullptr;
    check(cudaGraphCreate(&made, 0));
    std::unique_ptr<CUgraph_st, Destroy> graph(made);
    cudaGraphConditionalHandle handle{};
    check(cudaGraphConditionalHandleCreate(&handle, graph.get(), 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams node{};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = handle;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
    cudaGraphNode_t added = nullptr;
#if CUDART_VERSION >= 13000
    check(cudaGraphAddNode(&added, graph.get(), nullptr, nullptr, 0, &node));
#else
    check(cudaGraphAddNode(&added, graph.get(), nullptr, 0, &node));
#endif
    const Stream stream;
    check(cudaStreamBeginCaptureToGraph(stream, node.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                        cudaStreamCaptureModeThreadLocal));
    body(static_cast<cudaStream_t>(stream), handle);
    cudaGraph_t captured = nullptr;
    check(cudaStreamEndCapture(stream, &captured));
    Graph executable(graph.release(), false);
    executable.upload(context.stream(0));
    return executable;
}

using ConditionHandle = cudaGraphConditionalHandle;

// Returns what launches a graph of one WHILE node whose body is one grid of this kernel. The kernel gets the handle of
// the condition as its last argument.
template <auto Kernel, class... Args>
std::function<void()> while_loop(Context& context, LaunchShape shape, Args... args)
{
    auto graph = std::make_shared<Graph>(capture_while(context, [&](cudaStream_t stream, ConditionHandle again) {
        Kernel<<<shape.grid, shape.block, 0, stream>>>(args..., again);
    }));
    return [&context, graph] { context.launch(*graph); };
}

// Sets the condition of a WHILE node: whether its body runs again.
__device__ inline void set_condition(ConditionHandle handle, bool again)
{
#ifndef NESTBED_CDP1
    cudaGraphSetConditional(handle, again ? 1 : 0);
#endif
}

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

} // namespace nestbed::inline on_cuda
