// Numbers that kernels write into the host's memory, which the host polls: the fastest way to let the host decide.
#pragma once

#include "device/cuda/kernel_language.cuh"

#include <cstddef>
#include <memory>

namespace nestbed::inline on_cuda
{

// A flag and kReportWords words of the host's memory, mapped by the device.
class Report
{
  public:
    static constexpr std::size_t kReportWords = 127;

    Report();
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    // Forgets the last report. Before the launch of the kernel that makes the next one.
    void clear();
    // For kernels: publish() below.
    unsigned* flag_on_device() const { return &on_device_->flag; }
    // The flag that a kernel has published since; 0: none has.
    unsigned seen() const;
    // Waits until a kernel has published, and returns its flag. Throws CudaError if a kernel failed, and RunError if the
    // stream has no more work and nothing was published.
    unsigned wait(cudaStream_t stream) const;
    // Launches a kernel that reports `bytes` of device memory after what the stream has, and waits for it. `bytes`: a
    // multiple of a word, at most kReportWords words.
    void read(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

  private:
    struct Memory {
        unsigned flag; // 0: nothing was published
        unsigned words[kReportWords];
    };
    struct Free {
        void operator()(Memory* memory) const noexcept { static_cast<void>(cudaFreeHost(memory)); }
    };

    std::unique_ptr<Memory, Free> memory_;
    Memory* on_device_ = nullptr;
};

// Writes the flag of a Report after all that the calling thread has written. `value` is not 0.
__device__ inline void publish(unsigned* flag, unsigned value)
{
    __threadfence_system();
    *static_cast<volatile unsigned*>(flag) = value;
}

} // namespace nestbed::inline on_cuda
