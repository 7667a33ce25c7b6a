// Streams and events. What the host puts into streams runs at once, in the order of the calls; the numbers of the
// streams tell the observer which orders CUDA guarantees.
#include "device/cpu/observer.hpp"
#include "program/runtime/device.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

struct CUevent_st {
    std::chrono::steady_clock::time_point at;
    bool recorded = false;
    bool timing = true;
    std::uint64_t captured = 0; // for the observer
};

namespace nestbed::program
{

namespace
{

// A stream is its number and its flags, in the bits of the pointer.
constexpr unsigned kFlagBits = 8;
constexpr std::uintptr_t kFirstStream = std::uintptr_t{1} << kFlagBits;
std::atomic<std::uintptr_t> streams = 0;

unsigned flags_of(cudaStream_t stream)
{
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(stream) & (kFirstStream - 1));
}

// Streams with work that the host has not waited for.
struct Used {
    bool null_stream = false;
    std::set<std::uint64_t> blocking{};
};
thread_local Used used_streams;

struct Events {
    std::mutex mutex;
    std::unordered_map<cudaEvent_t, std::unique_ptr<CUevent_st>> all;
};
Events& events()
{
    static Events& of_process = *new Events; // programs destroy events in destructors
    return of_process;
}

// Calls use(event) if there is such an event.
template <class Use>
cudaError_t with_event(cudaEvent_t event, Use&& use)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    Events& of = events();
    const std::lock_guard lock(of.mutex);
    const auto found = of.all.find(event);
    return found == of.all.end() ? noted(cudaErrorInvalidResourceHandle) : noted(use(*found->second));
}

// Of the calling thread; nullptr: the host.
void* observed_thread()
{
    return cpu::in_kernel() ? cpu::current_thread->observed : nullptr;
}
// While the host runs a grid, its kernels are in no need of the lock.
std::unique_lock<std::mutex> locked_by_host()
{
    return cpu::in_kernel() ? std::unique_lock<std::mutex>() : std::unique_lock(state().running);
}
bool is_observed()
{
    return !cpu::in_kernel() || observed_thread() != nullptr;
}

// A grid may wait for its children if it is among the uppermost ones (CUDA guide, "Synchronization Depth").
cudaError_t wait_for_children()
{
    const GridRecord& grid = *grid_of_running_thread();
    const std::size_t depth = limit_value(cudaLimitDevRuntimeSyncDepth);
    if (grid.level < depth) {
        cpu::wait_for_children();
        return cudaSuccess;
    }
    static std::atomic<bool> is_said = false;
    if (!is_said.exchange(true))
        say(fmt::format("{}: cudaDeviceSynchronize() did not wait (cudaErrorSyncDepthExceeded): the kernel is at "
                        "nesting depth {}, and "
                        "cudaLimitDevRuntimeSyncDepth is {}; raise it by cudaDeviceSetLimit() before the first "
                        "launch. Later ones are not "
                        "reported",
                        described(*cpu::current_thread), grid.level, depth));
    return noted(cudaErrorSyncDepthExceeded);
}

cudaError_t wait_for_all()
{
    if (cpu::in_kernel())
        return wait_for_children();
    host_waited();
    return noted(sticky_error());
}

} // namespace

std::uint64_t number_of(cudaStream_t stream)
{
    return is_named(stream) ? reinterpret_cast<std::uintptr_t>(stream) >> kFlagBits : 0;
}

bool is_named(cudaStream_t stream)
{
    return reinterpret_cast<std::uintptr_t>(stream) >= kFirstStream;
}

void use_stream(cudaStream_t stream)
{
    const auto waits = [](std::uint64_t later, std::uint64_t earlier) {
        if (cpu::observer != nullptr)
            cpu::observer->stream_waits(nullptr, later, cpu::observer->captures(nullptr, earlier));
    };
    if (!is_named(stream)) {
        for (const std::uint64_t other : used_streams.blocking)
            waits(0, other);
        used_streams.null_stream = true;
    } else if ((flags_of(stream) & cudaStreamNonBlocking) == 0) {
        if (used_streams.null_stream)
            waits(number_of(stream), 0);
        used_streams.blocking.insert(number_of(stream));
    }
}

void use_stream_for_copy(cudaStream_t stream)
{
    finish_launches();
    use_stream(stream);
    if (const std::uint64_t number = number_of(stream); cpu::observer != nullptr)
        cpu::observer->stream_waits(nullptr, number, cpu::observer->captures(nullptr, number));
}

void host_waited()
{
    finish_launches();
    used_streams = {};
    if (cpu::observer != nullptr)
        cpu::observer->synchronized();
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaDeviceSynchronize()
{
    return wait_for_all();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (flags > cudaStreamNonBlocking)
        return noted(cudaErrorInvalidValue);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is never followed
    *stream = reinterpret_cast<cudaStream_t>(++streams << kFlagBits | flags);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return is_named(stream) ? noted(sticky_error()) : noted(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (nestbed::cpu::in_kernel())
        return wait_for_all();
    finish_launches();
    const std::lock_guard lock(state().running);
    if (!is_named(stream))
        use_stream(stream); // it waits for the blocking ones
    if (nestbed::cpu::observer != nullptr)
        nestbed::cpu::observer->stream_synchronized(number_of(stream));
    return noted(sticky_error());
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

// What was launched is complete: by the host at once, by a block when complete_children() returns.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/)
{
    finish_launches();
    const std::unique_lock lock = locked_by_host();
    bool recorded = false;
    std::uint64_t captured = 0;
    const cudaError_t error = with_event(event, [&](const CUevent_st& of) {
        recorded = of.recorded;
        captured = of.captured;
        return cudaSuccess;
    });
    if (error != cudaSuccess || !recorded)
        return error;
    if (nestbed::cpu::in_kernel())
        nestbed::cpu::complete_children();
    else
        use_stream(stream);
    if (nestbed::cpu::observer != nullptr && is_observed())
        nestbed::cpu::observer->stream_waits(observed_thread(), number_of(stream), captured);
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags)
{
    *flags = is_named(stream) ? flags_of(stream) : cudaStreamDefault;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t /*stream*/, int* priority)
{
    *priority = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned /*flags*/)
{
    host_waited();
    callback(stream, sticky_error(), data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t /*stream*/, cudaHostFn_t function, void* data)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    host_waited();
    function(data);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    auto made = std::make_unique<CUevent_st>();
    made->timing = (flags & cudaEventDisableTiming) == 0;
    *event = made.get();
    Events& of = events();
    const std::lock_guard lock(of.mutex);
    of.all.emplace(*event, std::move(made));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    Events& of = events();
    const std::lock_guard lock(of.mutex);
    return of.all.erase(event) == 1 ? cudaSuccess : noted(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    finish_launches();
    const std::unique_lock lock = locked_by_host();
    if (!nestbed::cpu::in_kernel())
        use_stream(stream);
    return with_event(event, [stream](CUevent_st& of) {
        of.recorded = true;
        if (nestbed::cpu::observer != nullptr && is_observed())
            of.captured = nestbed::cpu::observer->captures(observed_thread(), number_of(stream));
        of.at = std::chrono::steady_clock::now();
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (nestbed::cpu::in_kernel())
        return wait_for_all();
    finish_launches();
    const std::lock_guard lock(state().running);
    return with_event(event, [](const CUevent_st& of) {
        if (nestbed::cpu::observer != nullptr && of.recorded)
            nestbed::cpu::observer->event_synchronized(of.captured);
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    const auto time_of = [](cudaEvent_t event, std::chrono::steady_clock::time_point& time) {
        return with_event(event, [&](const CUevent_st& of) {
            time = of.at;
            return of.recorded && of.timing ? cudaSuccess : cudaErrorInvalidResourceHandle;
        });
    };
    std::chrono::steady_clock::time_point from;
    std::chrono::steady_clock::time_point to;
    if (const cudaError_t error = time_of(begin, from); error != cudaSuccess)
        return error;
    if (const cudaError_t error = time_of(end, to); error != cudaSuccess)
        return error;
    *milliseconds = std::chrono::duration<float, std::milli>(to - from).count();
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
