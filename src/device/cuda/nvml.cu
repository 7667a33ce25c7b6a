#include "device/cuda/nvml.cuh"

#include <array>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <utility>

namespace nestbed::inline on_cuda
{

namespace
{

// Constants from nvml.h, which not every toolkit has: NVML API Reference Guide, "Device Queries".
using Result = int; // 0: success
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;

// The reasons why clocks are lower than they could be under load: nvmlClocksEventReason*. An idle GPU and clocks that
// a user has set are not in the list.
constexpr std::array<std::pair<unsigned long long, std::string_view>, 6> kReasons{{{0x4, "sw_power_cap"},
                                                                                   {0x8, "hw_slowdown"},
                                                                                   {0x10, "sync_boost"},
                                                                                   {0x20, "sw_thermal"},
                                                                                   {0x40, "hw_thermal"},
                                                                                   {0x80, "hw_power_brake"}}};

std::string names_of(unsigned long long reasons)
{
    std::string names;
    for (const auto& [bit, name] : kReasons)
        if ((reasons & bit) != 0)
            names.append(names.empty() ? "" : " ").append(name);
    return names;
}

} // namespace

template <class Function>
Function* Nvml::function(const char* name) const
{
    return reinterpret_cast<Function*>(dlsym(library_, name));
}

Nvml::Nvml(int device) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL))
{
    if (library_ == nullptr)
        return;
    std::array<char, 32> bus{}; // "0000:1b:00.0"
    const auto init = function<Result()>("nvmlInit_v2");
    const auto handle = function<Result(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (init == nullptr || handle == nullptr || init() != 0 ||
        cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) != cudaSuccess ||
        handle(bus.data(), &device_) != 0)
        device_ = nullptr;
}

Nvml::~Nvml()
{
    if (library_ == nullptr)
        return;
    if (const auto shutdown = function<Result()>("nvmlShutdown"))
        shutdown();
    dlclose(library_);
}

const GpuState& Nvml::state()
{
    if (device_ != nullptr && (!read_ || read_->elapsed_us() > kFreshUs)) {
        read_.emplace();
        read();
    }
    return state_;
}

void Nvml::read()
{
    const auto number = [&](const char* name) -> std::optional<std::uint32_t> {
        const auto get = function<Result(void*, unsigned*)>(name);
        unsigned value = 0;
        return get != nullptr && get(device_, &value) == 0 ? std::optional(value) : std::nullopt;
    };
    const auto number_of = [&](const char* name, int kind) -> std::optional<std::uint32_t> {
        const auto get = function<Result(void*, int, unsigned*)>(name);
        unsigned value = 0;
        return get != nullptr && get(device_, kind, &value) == 0 ? std::optional(value) : std::nullopt;
    };
    state_ = {.sm_clock_mhz = number_of("nvmlDeviceGetClockInfo", kClockSm),
              .memory_clock_mhz = number_of("nvmlDeviceGetClockInfo", kClockMemory),
              .temperature_c = number_of("nvmlDeviceGetTemperature", kTemperatureGpu),
              .power_mw = number("nvmlDeviceGetPowerUsage")};
    unsigned long long reasons = 0;
    const auto why = function<Result(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    if (why != nullptr && why(device_, &reasons) == 0)
        state_.throttle = names_of(reasons).empty() ? "no" : names_of(reasons);
}

} // namespace nestbed::inline on_cuda
