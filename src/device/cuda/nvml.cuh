// What NVML, the library under nvidia-smi, says of the GPU's state. It is loaded at run time: the driver brings it.
#pragma once

#include "model/facts.hpp"

#include <chrono>

namespace nestbed::inline on_cuda
{

class Nvml
{
  public:
    // Of the CUDA device of this number. Where NVML cannot be had, states are empty.
    explicit Nvml(int device);
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;
    ~Nvml();

    // As read not longer ago than kFresh, for a reading takes as long as some samples.
    const GpuState& state();

  private:
    static constexpr std::chrono::milliseconds kFresh{50};

    template <class Function>
    Function* function(const char* name) const;
    void read();

    void* library_ = nullptr;
    void* device_ = nullptr;
    GpuState state_;
    std::chrono::steady_clock::time_point read_;
};

} // namespace nestbed::inline on_cuda
