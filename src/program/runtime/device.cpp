// Functions that choose and set the device. There is one.
#include "program/runtime/device.hpp"

#include "program/runtime/graphs.hpp"
#include "program/runtime/heap.hpp"
#include "program/runtime/kernel_limits.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/recursion_stack.hpp"
#include "program/runtime/state.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nestbed::program
{

namespace
{

constexpr int kRuntimeVersion = CUDART_VERSION;
constexpr const char* kBusId = "0000:00:00.0";

std::array<std::size_t, cudaLimitPersistingL2CacheSize + 1> default_limits()
{
    return {1024, std::size_t{1} << 20U, std::size_t{8} << 20U, 2, kDefaultPendingLimit, 64, 0};
}
std::array limits = default_limits();
unsigned device_flags = 0;

} // namespace

std::size_t limit_value(cudaLimit limit)
{
    return limits.at(limit);
}

cudaError_t checked_device(int device)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    return noted(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

unsigned long long clock_ns()
{
    return now_ns();
}

// A thread that waits for a time need not wait as long: in each round it leaps farther.
void waits_for_time(std::uint32_t round)
{
    constexpr std::uint64_t kFirst_ns = 1000;
    constexpr std::uint32_t kMaxRound = 16;
    skip_ns(kFirst_ns << 2 * std::min(round, kMaxRound));
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

// A function that answers with what never changes, or sets what has no effect.
#define NESTBED_ANSWER(name, parameters, answer, error)                                                              \
    cudaError_t name parameters                                                                                      \
    {                                                                                                                \
        const void* const place = __builtin_return_address(0);                                                       \
        static_cast<void>(place);                                                                                    \
        answer;                                                                                                      \
        return noted(error);                                                                                         \
    }
#define NESTBED_GIVE(to, value)                                                                                      \
    if (const cudaError_t none = give(to, value, place); none != cudaSuccess)                                        \
    return none
NESTBED_ANSWER(cudaGetDeviceCount, (int* count), NESTBED_GIVE(count, 1), sticky_error())
NESTBED_ANSWER(cudaGetDevice, (int* device), NESTBED_GIVE(device, 0), sticky_error())
NESTBED_ANSWER(cudaSetValidDevices, (int* /*devices*/, int /*count*/), , sticky_error())
NESTBED_ANSWER(cudaChooseDevice, (int* device, const cudaDeviceProp* /*properties*/), NESTBED_GIVE(device, 0),
               sticky_error())
NESTBED_ANSWER(cudaDeviceGetCacheConfig, (cudaFuncCache * config), NESTBED_GIVE(config, cudaFuncCachePreferNone),
               sticky_error())
NESTBED_ANSWER(cudaDeviceSetCacheConfig, (cudaFuncCache /*config*/), , sticky_error())
NESTBED_ANSWER(cudaDeviceGetSharedMemConfig, (cudaSharedMemConfig * config),
               NESTBED_GIVE(config, cudaSharedMemBankSizeFourByte), sticky_error())
NESTBED_ANSWER(cudaDeviceSetSharedMemConfig, (cudaSharedMemConfig /*config*/), , sticky_error())
NESTBED_ANSWER(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest), NESTBED_GIVE(least, 0);
               NESTBED_GIVE(greatest, 0), sticky_error())
NESTBED_ANSWER(cudaDeviceGetByPCIBusId, (int* device, const char* /*id*/), NESTBED_GIVE(device, 0), sticky_error())
NESTBED_ANSWER(cudaDeviceCanAccessPeer, (int* can, int /*device*/, int /*peer*/), NESTBED_GIVE(can, 0),
               sticky_error())
NESTBED_ANSWER(cudaDeviceGetP2PAttribute, (int* /*value*/, cudaDeviceP2PAttr /*attribute*/, int /*from*/, int /*to*/),
               ,
               cudaErrorInvalidDevice) // there is one device
NESTBED_ANSWER(cudaDeviceEnablePeerAccess, (int /*peer*/, unsigned /*flags*/), ,
               cudaErrorInvalidDevice) // there is one device
NESTBED_ANSWER(cudaDeviceDisablePeerAccess, (int /*peer*/), , cudaErrorPeerAccessNotEnabled)
NESTBED_ANSWER(cudaGetDeviceFlags, (unsigned* flags), NESTBED_GIVE(flags, device_flags), sticky_error())
NESTBED_ANSWER(cudaSetDeviceFlags, (unsigned flags), device_flags = flags, sticky_error())
NESTBED_ANSWER(cudaDriverGetVersion, (int* version), NESTBED_GIVE(version, kRuntimeVersion), cudaSuccess)
NESTBED_ANSWER(cudaRuntimeGetVersion, (int* version), NESTBED_GIVE(version, kRuntimeVersion), cudaSuccess)
NESTBED_ANSWER(cudaCtxResetPersistingL2Cache, (), , sticky_error())
NESTBED_ANSWER(cudaProfilerStart, (), , sticky_error())
NESTBED_ANSWER(cudaProfilerStop, (), , sticky_error())
#undef NESTBED_ANSWER
#undef NESTBED_GIVE

cudaError_t cudaSetDevice(int device)
{
    return checked_device(device);
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/)
{
    return checked_device(device);
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit)
{
    if (static_cast<std::size_t>(limit) >= limits.size())
        return noted(cudaErrorUnsupportedLimit);
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    return give(value,
                limit == cudaLimitDevRuntimePendingLaunchCount ? state().executor.pending_limit() : limits.at(limit),
                __builtin_return_address(0));
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    constexpr std::size_t kMinPending = 32; // less counts as 32 on an H200
    constexpr std::size_t kMaxPending = std::size_t{1} << 30U;
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (static_cast<std::size_t>(limit) >= limits.size())
        return noted(cudaErrorUnsupportedLimit);
    finish_works();
    if (limit == cudaLimitMallocHeapSize && heap().is_used_by_kernels)
        return noted(cudaErrorInvalidValue); // CUDA Runtime API, cudaDeviceSetLimit()
    if (limit == cudaLimitDevRuntimePendingLaunchCount && !environment().pending_limit)
        state().executor.set_pending_limit(static_cast<unsigned>(std::clamp(value, kMinPending, kMaxPending)));
    constexpr std::size_t kMaxStack = std::size_t{64} << 20U;
    if (limit == cudaLimitStackSize) {
        if (value > kMaxStack)
            return noted(cudaErrorInvalidValue);
        set_stack_limit(value);
    }
    limits.at(limit) = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset()
{
    if (const cudaError_t error = refused_while_captured(std::nullopt, __func__, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    const std::lock_guard lock(state().running);
    host_waited();
    set_sticky_error(cudaSuccess);
    forget_captures();
    forget_executables();
    forget_graphs();
    forget_graph_memory();
    free_all_memory(__builtin_return_address(0));
    limits = default_limits();
    set_stack_limit(limit_value(cudaLimitStackSize));
    forget_function_attributes();
    state().executor.set_pending_limit(environment().pending_limit.value_or(kDefaultPendingLimit));
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device)
{
    if (const cudaError_t error = checked_device(device); error != cudaSuccess)
        return error;
    if (length <= static_cast<int>(std::strlen(kBusId)))
        return noted(cudaErrorInvalidValue);
    std::strcpy(id, kBusId); // NOLINT: its length was checked
    return cudaSuccess;
}

// NOLINTEND(readability-identifier-naming)
