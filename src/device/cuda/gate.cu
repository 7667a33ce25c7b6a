#include "device/cuda/gate.cuh"

#include "device/cuda/context.cuh"

namespace nestbed::inline on_cuda
{

namespace
{

// Submission takes a few microseconds for each of a few thousand launches. A submission that takes longer than this
// is waiting for the stream.
constexpr unsigned long long kPatienceNs = 500'000'000;

__global__ void hold(volatile const unsigned* open, volatile unsigned* gave_up)
{
    const unsigned long long start = timer_ns();
    while (*open == 0)
        if (timer_ns() - start > kPatienceNs) {
            *gave_up = 1;
            return;
        }
}

} // namespace

Gate::Gate()
{
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(State), cudaHostAllocMapped));
    state_.reset(new (memory) State{});
}

void Gate::close(cudaStream_t stream)
{
    *state_ = {.open = 0, .gave_up = 0};
    unsigned* open = nullptr;
    check(cudaHostGetDevicePointer(&open, &state_->open, 0));
    hold<<<1, 1, 0, stream>>>(open, open + 1);
    check(cudaGetLastError());
}

void Gate::open()
{
    *static_cast<volatile unsigned*>(&state_->open) = 1;
}

bool Gate::held() const
{
    return *static_cast<volatile const unsigned*>(&state_->gave_up) == 0;
}

} // namespace nestbed::inline on_cuda
