// Holds a stream until all work of a sample is in it, so that the time between two events has nothing of the host's submission.
#pragma once

#include <cuda_runtime.h>
#include <memory>

namespace nestbed::inline on_cuda
{

// What close() puts into a stream waits for open(), for a while: whoever submits may wait for the stream, or find its queue full.
class Gate
{
  public:
    // Throws CudaError.
    Gate();

    void close(cudaStream_t stream);
    void open();
    // Once the stream is done: it was open() that let it go.
    bool held() const;

  private:
    struct State {
        unsigned open;
        unsigned gave_up;
    };
    struct Free {
        void operator()(State* state) const noexcept { static_cast<void>(cudaFreeHost(state)); }
    };
    std::unique_ptr<State, Free> state_; // the host's memory, which the device reads
};

// A stream that is held from here on, where there is a gate, until let_go() or the end of the scope.
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
