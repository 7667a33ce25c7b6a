// What the CUDA runtime gives out, owned: memory, streams, events, graphs. Every call is checked.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace nestbed::inline on_cuda
{

// A CUDA call failed. what() contains the name of the error, its description, and the file and line.
class CudaError : public RunError
{
  public:
    CudaError(cudaError_t code, std::source_location where);
};

// The exception of a run that cannot start or cannot end.
using DeviceFault = CudaError;

inline void check(cudaError_t code, std::source_location where = std::source_location::current())
{
    if (code != cudaSuccess)
        throw CudaError(code, where);
}

// Device memory, not initialised. Freeing it cannot throw: the next checked call reports an error from there.
template <class T>
class Buffer
{
    static_assert(std::is_trivially_copyable_v<T>);
    struct Free {
        void operator()(T* pointer) const noexcept { static_cast<void>(cudaFree(pointer)); }
    };

  public:
    Buffer() = default;
    explicit Buffer(std::size_t count) : count_(count)
    {
        T* pointer = nullptr;
        const cudaError_t code = cudaMalloc(&pointer, count * sizeof(T));
        if (code == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError()); // not sticky: the next check must not find this error
            throw RunError("out of GPU memory: " + std::to_string(count * sizeof(T)) +
                           " bytes could not be allocated");
        }
        check(code);
        data_.reset(pointer);
    }
    T* data() const { return data_.get(); }
    std::size_t size() const { return count_; }

  private:
    std::unique_ptr<T, Free> data_;
    std::size_t count_ = 0;
};

class Stream
{
  public:
    Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

class Event
{
  public:
    explicit Event(unsigned flags = cudaEventDefault) { check(cudaEventCreateWithFlags(&event_, flags)); }
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

// An executable graph, and the graph that it was made of: a node that kernels update belongs to both.
class Graph
{
  public:
    // Takes ownership of `graph`.
    Graph(cudaGraph_t graph, bool for_device);
    ~Graph();
    Graph(Graph&& other) noexcept;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    cudaGraphExec_t get() const { return executable_; } // valid in kernels of device graphs too, after upload()
    void upload(cudaStream_t stream) const { check(cudaGraphUpload(executable_, stream)); }
    void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

  private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

} // namespace nestbed::inline on_cuda
