#include "device/cuda/report.cuh"

#include "device/cuda/context.cuh"

#include <atomic>
#include <cstring>
#include <stdexcept>

namespace nestbed::inline on_cuda
{

namespace
{

__global__ void report_words(const unsigned* from, unsigned count, unsigned* to, unsigned* flag)
{
    if (threadIdx.x < count)
        to[threadIdx.x] = from[threadIdx.x];
    __syncthreads(); // then thread 0's fence is after all words
    if (threadIdx.x == 0)
        publish(flag, 1);
}

} // namespace

Report::Report()
{
    Memory* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(Memory), cudaHostAllocMapped));
    memory_.reset(memory);
    check(cudaHostGetDevicePointer(&on_device_, memory, 0));
    clear();
}

void Report::clear()
{
    memory_->flag = 0;
}

unsigned Report::seen() const
{
    return std::atomic_ref(memory_->flag).load(std::memory_order_acquire);
}

unsigned Report::wait(cudaStream_t stream) const
{
    constexpr unsigned kLooks = 1U << 16; // reads of the flag per question whether the stream still works
    for (unsigned look = 1;; ++look) {
        if (const unsigned flag = seen(); flag != 0)
            return flag;
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

void Report::read(cudaStream_t stream, void* to, const void* from, std::size_t bytes)
{
    const auto words = static_cast<unsigned>(bytes / sizeof(unsigned));
    if (bytes % sizeof(unsigned) != 0 || words > kReportWords)
        throw std::logic_error("a report of " + std::to_string(bytes) + " bytes");
    clear();
    report_words<<<1, kReportWords, 0, stream>>>(static_cast<const unsigned*>(from), words, on_device_->words,
                                                 flag_on_device());
    check(cudaGetLastError());
    wait(stream);
    std::memcpy(to, memory_->words, bytes);
}

} // namespace nestbed::inline on_cuda
