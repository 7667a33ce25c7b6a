// Events. One is recorded at once, because what is in the stream has run, or runs before cudaStreamWaitEvent() returns.
#include "device/cpu/observer.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/late_work.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

struct CUevent_st {
    std::chrono::steady_clock::time_point at;
    bool recorded = false;
    bool timing = true;
    std::weak_ptr<nestbed::program::GridRecord> grid{}; // whose threads created it
    bool of_host = true;
    nestbed::cpu::Captured captured{};
    cudaStream_t stream = nullptr; // where it is recorded, and the last work before it
    std::uint64_t last_work = 0;
    nestbed::program::LateWorks works{}; // before it
};

namespace nestbed::program
{

namespace
{

struct Events {
    std::mutex mutex;
    std::unordered_map<cudaEvent_t, std::unique_ptr<CUevent_st>> all;
};
Events& events()
{
    static Events& of_process = *new Events; // programs destroy events in destructors
    return of_process;
}

bool is_of_running_grid(const CUevent_st& event)
{
    return event.grid.lock().get() == cpu::current_thread->program.grid;
}

// Calls use(event) if the caller can use such an event.
template <class Use>
cudaError_t with_event(cudaEvent_t event, Use&& use)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    Events& of = events();
    const std::lock_guard lock(of.mutex);
    const auto found = of.all.find(event);
    const bool can_use =
        found != of.all.end() && (cpu::in_kernel() ? is_of_running_grid(*found->second) : found->second->of_host);
    return can_use ? noted(use(*found->second)) : noted(cudaErrorInvalidResourceHandle);
}

// A kernel has no timing events (CUDA guide, "Events" of CUDA Dynamic Parallelism).
cudaError_t create_event(cudaEvent_t* event, unsigned flags, const char* function, const void* place)
{
    constexpr unsigned kAll = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const bool timing = (flags & cudaEventDisableTiming) == 0;
    if (cpu::in_kernel() && timing)
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("{}: flags {}; in a kernel an event needs cudaEventDisableTiming", function, flags));
    if ((flags & ~kAll) != 0)
        return noted(cudaErrorInvalidValue);
    auto made = std::make_unique<CUevent_st>();
    made->timing = timing;
    made->of_host = !cpu::in_kernel();
    if (!made->of_host)
        made->grid = static_cast<GridRecord*>(cpu::current_thread->program.grid)->weak_from_this();
    if (const cudaError_t error = give(event, made.get(), place); error != cudaSuccess)
        return error;
    Events& of = events();
    const std::lock_guard lock(of.mutex);
    of.all.emplace(made.get(), std::move(made));
    return cudaSuccess;
}

cudaError_t record_event(cudaEvent_t event, cudaStream_t stream, unsigned flags, const void* place)
{
    if (!can_use_stream(stream))
        return wrong_stream("cudaEventRecord", place);
    if (const std::optional<cudaError_t> result = captures_record(event, stream, flags, place))
        return *result;
    finish_launches();
    const std::unique_lock lock = locked_by_host();
    if (!cpu::in_kernel())
        use_stream(stream, false);
    return with_event(event, [stream](CUevent_st& of) {
        of.recorded = true;
        of.stream = stream;
        if (!cpu::in_kernel()) {
            of.last_work = last_work_of(stream);
            of.works = works_in(number_of(stream));
        }
        if (cpu::observer != nullptr && is_observed())
            of.captured = cpu::observer->captures(observed_thread(), number_of(stream));
        of.at = std::chrono::steady_clock::now();
        return cudaSuccess;
    });
}

} // namespace

bool is_event(const void* word)
{
    Events& of = events();
    const std::lock_guard lock(of.mutex);
    return of.all.contains(static_cast<cudaEvent_t>(const_cast<void*>(word))); // NOLINT(*-const-cast): not accessed
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    return create_event(event, flags, __func__, __builtin_return_address(0));
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags)
{
    return create_event(event, flags, __func__, __builtin_return_address(0));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    std::unique_ptr<CUevent_st> ended;
    return with_event(event, [&](CUevent_st& of) {
        ended = std::move(events().all.extract(&of).mapped());
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return record_event(event, stream, cudaEventRecordDefault, __builtin_return_address(0));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return record_event(event, stream, flags, __builtin_return_address(0));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (const cudaError_t error = refused_of_captured(event, __func__, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    if (nestbed::cpu::in_kernel())
        return wait_for_all();
    const std::lock_guard lock(state().running);
    LateWorks works;
    const cudaError_t error = with_event(event, [&](const CUevent_st& of) {
        if (nestbed::cpu::observer != nullptr && of.recorded)
            nestbed::cpu::observer->event_synchronized(of.captured);
        if (of.recorded)
            is_done(of.stream, of.last_work);
        works = of.works;
        return cudaSuccess;
    });
    run(works); // which may use events
    finish_launches();
    return error == cudaSuccess ? noted(sticky_error()) : error;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (const cudaError_t error = refused_of_captured(event, __func__, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    if (!nestbed::cpu::in_kernel()) {
        finish_launches();
        const std::lock_guard lock(state().running);
        bool is_done = true;
        const cudaError_t error = with_event(event, [&](const CUevent_st& of) {
            is_done = !of.recorded || is_done_at_query(of.stream, of.last_work);
            return cudaSuccess;
        });
        if (error == cudaSuccess && !is_done)
            return cudaErrorNotReady;
    }
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
    return give(milliseconds, std::chrono::duration<float, std::milli>(to - from).count(),
                __builtin_return_address(0));
}

// What was launched is complete: by the host at once, by a block when complete_children() returns.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    const void* const place = __builtin_return_address(0);
    if (!can_use_stream(stream))
        return wrong_stream(__func__, place);
    if (const std::optional<cudaError_t> result = captures_wait(stream, event, flags, place))
        return *result;
    finish_launches();
    const std::unique_lock lock = locked_by_host();
    bool recorded = false;
    nestbed::cpu::Captured captured;
    LateWorks works;
    const cudaError_t error = with_event(event, [&](const CUevent_st& of) {
        recorded = of.recorded;
        captured = of.captured;
        works = of.works;
        return cudaSuccess;
    });
    if (error != cudaSuccess || !recorded)
        return error;
    if (nestbed::cpu::in_kernel()) {
        nestbed::cpu::complete_children();
    } else {
        use_stream(stream);
        let_wait(number_of(stream), works);
    }
    if (nestbed::cpu::observer != nullptr && is_observed())
        nestbed::cpu::observer->stream_waits(observed_thread(), number_of(stream), captured);
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
