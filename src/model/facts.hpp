// What a backend reports about itself: the limits that the plan checks, and the names that every row contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace nestbed
{

// The state of a GPU at the time of a sample, read with NVML; empty where NVML is not available.
struct GpuState {
    std::optional<std::uint32_t> sm_clock_mhz;
    std::optional<std::uint32_t> memory_clock_mhz;
    std::optional<std::uint32_t> temperature_c;
    std::optional<std::uint32_t> power_mw;
    std::string throttle; // why its clocks are below the maximum: "sw_power_cap hw_thermal"; "no": they are not

    bool throttled() const { return !throttle.empty() && throttle != "no"; }
};

struct DeviceFacts {
    std::string name;                  // "NVIDIA H200", or the CPU that runs the executor
    std::string driver;                // CUDA driver version, empty on the executor
    std::string runtime;               // CUDA runtime version, empty on the executor
    std::string compute_capability;    // "9.0", empty on the executor
    std::string uuid;                  // of the GPU, 32 hexadecimal digits; empty on the executor
    std::uint32_t multiprocessors = 0; // on the executor: its worker threads
    std::uint32_t max_threads_per_block = 1024;
    std::uint32_t max_threads_per_multiprocessor = 0;
    std::uint32_t max_blocks_per_multiprocessor = 0;
    std::uint32_t max_grid = 2147483647;
    // Number of grids that can be resident at once: CUDA C++ Programming Guide, "Technical Specifications per Compute
    // Capability", "Maximum number of resident grids per device". 0: no such limit (the executor).
    std::uint32_t resident_grids = 0;
    std::uint32_t default_pending_limit = 2048; // cudaLimitDevRuntimePendingLaunchCount as found
    bool raising_limit_is_free = false; // true on the executor; on a GPU a raised limit slows every device launch
    std::uint64_t memory_bytes = 0;
    std::uint64_t free_memory_bytes = 0; // 0: unknown
    std::uint64_t l2_bytes = 0;          // the cache that all multiprocessors share; 0 on the executor
    double peak_bandwidth_gb_s = 0;      // 2 * memory clock * bus width; 0 if the device does not report it
};

} // namespace nestbed
