// Reads the state of the GPU from NVML, the library behind nvidia-smi. The library comes with the driver and is
// loaded at run time.
#pragma once

#include "model/elapsed.hpp"
#include "model/facts.hpp"

#include <optional>

namespace nestbed::inline on_cuda
{

class Nvml
{
  public:
    // `device` is the number of a CUDA device. If NVML is not available, all states are empty.
    explicit Nvml(int device);
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;
    ~Nvml();

    // Returns a state that was read at most kFreshUs ago, because one read takes as long as some samples.
    const GpuState& state();

  private:
    static constexpr double kFreshUs = 50'000;

    template <class Function>
    Function* function(const char* name) const;
    void read();

    void* library_ = nullptr;
    void* device_ = nullptr;
    GpuState state_;
    std::optional<WallClock> read_; // since the last read
};

} // namespace nestbed::inline on_cuda
