// Streams and events. What the host puts into streams runs at once, in the order of the calls; the numbers of the
// streams tell the observer which orders CUDA guarantees.
#include "device/cpu/observer.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

struct CUevent_st {
    std::chrono::steady_clock::time_point at;
    bool recorded = false;
    bool timing = true;
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
    bool blocking = false;
};
thread_local Used used;

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

cudaError_t wait_for_all()
{
    if (cpu::in_kernel()) {
        cpu::wait_for_children();
        return cudaSuccess;
    }
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
    const bool blocking = is_named(stream) && (flags_of(stream) & cudaStreamNonBlocking) == 0;
    const bool orders = (!is_named(stream) && used.blocking) || (blocking && used.null_stream);
    if (orders)
        host_waited();
    used.null_stream |= !is_named(stream);
    used.blocking |= blocking;
}

void host_waited()
{
    used = {};
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

cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/)
{
    return wait_for_all();
}

cudaError_t cudaStreamQuery(cudaStream_t /*stream*/)
{
    return wait_for_all();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t event, unsigned /*flags*/)
{
    const cudaError_t error = with_event(event, [](const CUevent_st&) { return cudaSuccess; });
    return error == cudaSuccess ? wait_for_all() : error;
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

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/)
{
    return with_event(event, [](CUevent_st& of) {
        of.recorded = true;
        of.at = std::chrono::steady_clock::now();
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const cudaError_t error = with_event(event, [](const CUevent_st&) { return cudaSuccess; });
    return error == cudaSuccess ? wait_for_all() : error;
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
