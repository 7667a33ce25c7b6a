// Holds a stream until all work of a sample is in it, so that the time between two events contains no submission time
// of the host.
#pragma once

#include <cuda_runtime.h>
#include <memory>

namespace nestbed::inline on_cuda
{

// The kernel that close() puts into a stream waits for open(), but not for ever: the submitting thread may itself
// wait for the stream, or find its queue full.
class Gate
{
  public:
    // Throws CudaError.
    Gate();

    void close(cudaStream_t stream);
    void open();
    // Call it after the stream is done. True if open() released the stream, false if the kernel gave up waiting.
    bool held() const;

  private:
    struct State {
        unsigned open;
        unsigned gave_up;
    };
    struct Free {
        void operator()(State* state) const noexcept { static_cast<void>(cudaFreeHost(state)); }
    };
    std::unique_ptr<State, Free> state_; // host memory that the device reads
};

// Holds a stream, if there is a gate, until let_go() or the end of the scope.
class HeldStream
{
  public:
    HeldStream(Gate* gate, cudaStream_t stream) : gate_(gate)
    {
        if (gate_ != nullptr)
            gate_->close(stream);
    }
    HeldStream(const HeldStream&) = delete;
    HeldStream& operator=(const HeldStream&) = delete;
    ~HeldStream() { let_go(); }
    void let_go() const
    {
        if (gate_ != nullptr)
            gate_->open();
    }

  private:
    Gate* gate_;
};

} // namespace nestbed::inline on_cuda
