// Streams. What the host puts into streams runs at once, in the order of the calls; the numbers of the
// streams tell the observer which orders CUDA guarantees.
#include "device/cpu/observer.hpp"
#include "program/runtime/device.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/late_work.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

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

// The streams that exist: those of the host; those of a grid are in its record.
using Attributes = std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue>;
struct Streams {
    std::mutex mutex;
    std::map<std::uint64_t, dim3> of_host; // their blocks mean nothing
    std::map<cudaStream_t, Attributes> attributes;
};
Streams& all_streams()
{
    static Streams& of_process = *new Streams; // programs destroy streams in destructors
    return of_process;
}

const Attributes& default_attributes()
{
    static const Attributes all = [] {
        Attributes made;
        for (const cudaLaunchAttributeID id :
             {cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeSynchronizationPolicy,
              cudaLaunchAttributePriority, cudaLaunchAttributeMemSyncDomainMap, cudaLaunchAttributeMemSyncDomain})
            made[id] = {};
        made[cudaLaunchAttributeSynchronizationPolicy].syncPolicy = cudaSyncPolicyAuto;
        made[cudaLaunchAttributeMemSyncDomainMap].memSyncDomainMap = {0, 1};
        return made;
    }();
    return all;
}

// Of the caller. With the lock.
std::map<std::uint64_t, dim3>& own_streams()
{
    return cpu::in_kernel() ? static_cast<GridRecord*>(cpu::current_thread->program.grid)->streams
                            : all_streams().of_host;
}

// Threads of a kernel can create streams that do not wait for the NULL stream alone (CUDA guide, "Streams" of CUDA Dynamic Parallelism).
cudaError_t create_stream(cudaStream_t* stream, unsigned flags, const char* function, const void* place)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (cpu::in_kernel() && flags != cudaStreamNonBlocking)
        return noted_at(
            place, cudaErrorInvalidValue,
            fmt::format("{}: flags {}; in a kernel a stream needs cudaStreamNonBlocking", function, flags));
    if (flags > cudaStreamNonBlocking)
        return noted(cudaErrorInvalidValue);
    state(); // the observer begins before it is told of streams
    const std::uintptr_t number = ++streams;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is never followed
    if (const cudaError_t error = give(stream, reinterpret_cast<cudaStream_t>(number << kFlagBits | flags), place);
        error != cudaSuccess)
        return error;
    if (cpu::observer != nullptr && is_observed())
        cpu::observer->stream_made(observed_thread(), number, place, 0);
    const std::lock_guard lock(all_streams().mutex);
    own_streams().emplace(number, cpu::in_kernel() ? dim3(cpu::current_thread->block_index) : dim3());
    return cudaSuccess;
}

// Streams with work that the host has not waited for. Only the host changes them, with the lock of running grids.
struct Used {
    bool null_stream = false;
    std::set<std::uint64_t> blocking{};
};
Used& used_streams()
{
    static Used& of_process = *new Used; // programs use streams in destructors
    return of_process;
}

// The host has waited for them: their work comes before all that comes later. Not that of a thread of the host that does not know it.
void forget_used_streams()
{
    if (cpu::observer == nullptr || !cpu::observer->has_several_hosts())
        used_streams() = {};
}

bool is_per_thread = false; // the NULL stream

// A query answers once that the last work of a stream is not done yet: a program that does not look at the answer has not waited.
struct Work {
    std::uint64_t last = 0, asked = 0, done = 0;
};
std::map<std::uint64_t, Work>& work()
{
    static auto& of_process = *new std::map<std::uint64_t, Work>;
    return of_process;
}
std::uint64_t works = 0;
std::uint64_t works_done = 0; // up to there the host has waited for all

// Of a blocking stream.
std::uint64_t number_of_own_stream()
{
    thread_local const std::uint64_t own = ++streams;
    return own;
}

constexpr unsigned kOfNode = 0x80; // a flag

} // namespace

cudaStream_t make_node_stream(std::uint64_t graph, const void* place)
{
    const std::uintptr_t number = ++streams;
    if (cpu::observer != nullptr)
        cpu::observer->stream_made(nullptr, number, place, graph);
    const std::lock_guard lock(all_streams().mutex);
    all_streams().of_host.emplace(number, dim3());
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is never followed
    return reinterpret_cast<cudaStream_t>(number << kFlagBits | cudaStreamNonBlocking | kOfNode);
}

void end_node_stream(cudaStream_t stream)
{
    const std::uint64_t number = number_of(stream);
    if (cpu::observer != nullptr)
        cpu::observer->stream_ends(number);
    work().erase(number);
    const std::lock_guard lock(all_streams().mutex);
    all_streams().of_host.erase(number);
}

bool is_of_node(cudaStream_t stream)
{
    return is_named(stream) && (flags_of(stream) & kOfNode) != 0;
}

bool is_blocking(cudaStream_t stream)
{
    return !is_named(stream) || (flags_of(stream) & cudaStreamNonBlocking) == 0;
}

std::uint64_t number_of(cudaStream_t stream)
{
    if (is_named(stream))
        return reinterpret_cast<std::uintptr_t>(stream) >> kFlagBits;
    const bool is_own = stream == cudaStreamPerThread || (stream == nullptr && is_per_thread);
    return is_own && !cpu::in_kernel() ? number_of_own_stream() : 0;
}

bool null_stream_is_per_thread(); // of a program that is built so
bool null_stream_is_per_thread()
{
    return is_per_thread = true;
}

bool is_named(cudaStream_t stream)
{
    return reinterpret_cast<std::uintptr_t>(stream) >= kFirstStream;
}

bool can_use_stream(cudaStream_t stream)
{
    if (!is_named(stream))
        return stream <= (cpu::in_kernel() ? cudaStreamFireAndForget : cudaStreamPerThread);
    const std::lock_guard lock(all_streams().mutex);
    return own_streams().contains(number_of(stream));
}

void warn_of_stream_of_another_block(cudaStream_t stream, const GridRecord& launched)
{
    if (!is_named(stream) || !cpu::in_kernel())
        return;
    const std::lock_guard lock(all_streams().mutex);
    const auto created = own_streams().find(number_of(stream));
    if (created == own_streams().end())
        return; // destroyed meanwhile
    const dim3 owner = created->second;
    const uint3 block = cpu::current_thread->block_index;
    if (owner.x == block.x && owner.y == block.y && owner.z == block.z)
        return;
    static auto& warned = *new std::set<std::string>; // as the streams, never destroyed
    if (warned.insert(launched.place).second)
        say(fmt::format(
            "{}: warning: launch of {}: the stream was created by block ({},{},{}); CUDA leaves undefined "
            "what a stream does in another block, here block ({},{},{})",
            launched.place, launched.kernel, owner.x, owner.y, owner.z, block.x, block.y, block.z));
}

cudaError_t wrong_stream(const std::string& call, const void* place)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error); // it could not be created
    if (!cpu::in_kernel())
        return noted_at(place, cudaErrorInvalidResourceHandle,
                        call + ": there is no such stream of the host, or it was destroyed");
    return noted_at(place, cudaErrorInvalidValue,
                    call + ": the stream is not of this grid, or was destroyed; a kernel can use the streams that "
                           "threads of its own grid have created");
}

// Of the calling thread; nullptr: the host.
void* observed_thread()
{
    return cpu::in_kernel() ? cpu::current_thread->observed : nullptr;
}
// While the host runs a grid, its kernels are in no need of the lock.
std::unique_lock<RunningLock> locked_by_host()
{
    return cpu::in_kernel() ? std::unique_lock<RunningLock>() : std::unique_lock(state().running);
}
bool is_observed()
{
    return !cpu::in_kernel() || observed_thread() != nullptr;
}

namespace
{

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

} // namespace

cudaError_t wait_for_all()
{
    if (cpu::in_kernel())
        return wait_for_children();
    host_waited();
    return noted(sticky_error());
}

void use_stream(cudaStream_t stream, bool is_work)
{
    const auto waits = [](std::uint64_t later, std::uint64_t earlier) {
        let_wait(later, works_in(earlier));
        if (cpu::observer != nullptr)
            cpu::observer->stream_waits(nullptr, later, cpu::observer->captures(nullptr, earlier));
    };
    const std::uint64_t number = number_of(stream);
    if (is_work)
        work()[number].last = ++works;
    Used& used = used_streams();
    if (number == 0) {
        for (const std::uint64_t other : used.blocking)
            waits(0, other);
        used.null_stream = true;
    } else if (is_blocking(stream)) {
        if (used.null_stream)
            waits(number, 0);
        used.blocking.insert(number);
    }
}

Operation::Operation(const char* name, const void* place, cudaStream_t stream)
    : Operation(name, place, number_of(stream))
{
}

Operation::Operation(const char* name, const void* place, std::uint64_t stream)
    : observed_(cpu::observer == nullptr ? nullptr : cpu::observer->operation_begins(stream, name, place))
{
}

Operation::~Operation()
{
    if (observed_ != nullptr)
        cpu::observer->operation_ends(observed_);
}

void Operation::accesses(const cpu::Rows& rows, bool write) const
{
    if (observed_ != nullptr)
        cpu::observer->operation_accesses(observed_, rows, write);
}

void Operation::runs_here() const
{
    if (observed_ != nullptr)
        cpu::observer->operation_runs_on_host(observed_);
}

void host_waited_for(cudaStream_t stream)
{
    const std::uint64_t number = number_of(stream);
    run(works_in(number));
    finish_launches(); // a grid that lets the next one begin, or was launched programmatically, may still run
    if (cpu::observer != nullptr)
        cpu::observer->stream_synchronized(number);
    Work& of = work()[number];
    of.done = of.last;
    if (number == 0) { // and so for the blocking ones
        for (const std::uint64_t other : used_streams().blocking)
            work()[other].done = work()[other].last;
        forget_used_streams();
    }
}

void host_waited()
{
    const std::lock_guard lock(state().running);
    run_all_works();
    finish_launches();
    forget_used_streams();
    work().clear();
    works_done = works;
    if (cpu::observer != nullptr)
        cpu::observer->synchronized();
}

namespace
{

// What comes before the work in the NULL stream is in the blocking ones, too.
Work& work_of(std::uint64_t number)
{
    Work& of = work()[number];
    if (number == 0)
        for (const std::uint64_t other : used_streams().blocking)
            if (const Work& blocking = work()[other]; blocking.done != blocking.last)
                of.last = std::max(of.last, blocking.last);
    return of;
}

// A function that the host puts into a stream. `place`: the address after the call.
template <class Call>
cudaError_t call_in_stream(cudaStream_t stream, const char* function, const void* place, const Call& call)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (!can_use_stream(stream))
        return wrong_stream(function, place);
    const std::lock_guard lock(state().running);
    use_stream(stream);
    finish_launches(); // a kernel that lets the next one begin does not wait for the function
    put_function_into(number_of(stream), [=] {
        finish_launches();
        const Operation operation(function, place, stream);
        operation.runs_here();
        call_unlocked(call);
    });
    return cudaSuccess;
}

} // namespace

cudaError_t put_call(cudaStream_t stream, const char* function, const void* place, const std::function<void()>& call)
{
    return call_in_stream(stream, function, place, call);
}

std::uint64_t last_work_of(cudaStream_t stream)
{
    return work_of(number_of(stream)).last;
}

bool is_done_at_query(cudaStream_t stream, std::uint64_t last)
{
    Work& of = work_of(number_of(stream));
    if (last <= std::max({works_done, of.done, of.asked}))
        return true;
    of.asked = last;
    return false;
}

void is_done(cudaStream_t stream, std::uint64_t last)
{
    Work& of = work()[number_of(stream)];
    of.done = std::max(of.done, last);
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaDeviceSynchronize()
{
    if (const cudaError_t error = refused_while_captured(std::nullopt, __func__, __builtin_return_address(0), true);
        error != cudaSuccess)
        return error;
    static std::atomic<bool> is_said = false;
    if (nestbed::cpu::in_kernel() && !is_said.exchange(true))
        say(fmt::format("{}: cudaDeviceSynchronize() in a kernel: no GPU of compute capability 9.0 or later has it; "
                        "launch what follows into cudaStreamTailLaunch instead",
                        source_of(static_cast<const char*>(__builtin_return_address(0)) - 1)));
    return wait_for_all();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/)
{
    return create_stream(stream, flags, __func__, __builtin_return_address(0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    return create_stream(stream, flags, __func__, __builtin_return_address(0));
}

cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return create_stream(stream, cudaStreamDefault, __func__, __builtin_return_address(0));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    {
        const std::lock_guard lock(all_streams().mutex);
        if (is_named(stream) && own_streams().erase(number_of(stream)) == 1) {
            all_streams().attributes.erase(stream);
            return cudaSuccess;
        }
    }
    return wrong_stream(__func__, __builtin_return_address(0));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    if (nestbed::cpu::in_kernel())
        return wait_for_all();
    if (const cudaError_t error = refused_while_captured(stream, __func__, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    const std::lock_guard lock(state().running);
    if (number_of(stream) == 0)
        use_stream(stream, false); // it waits for the blocking ones
    host_waited_for(stream);
    return noted(sticky_error());
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    if (const cudaError_t error = refused_while_captured(stream, __func__, __builtin_return_address(0));
        error != cudaSuccess)
        return error;
    finish_launches();
    {
        const std::lock_guard lock(state().running);
        if (sticky_error() == cudaSuccess && !is_done_at_query(stream, last_work_of(stream)))
            return cudaErrorNotReady; // which is no error that cudaGetLastError() must return
    }
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    return give(flags, is_named(stream) ? flags_of(stream) : cudaStreamDefault, __builtin_return_address(0));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    return give(priority, 0, __builtin_return_address(0));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    return give(id, reinterpret_cast<std::uintptr_t>(stream), __builtin_return_address(0));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    return give(device, 0, __builtin_return_address(0));
}

// They change times alone.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue* value)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    if (value == nullptr || !default_attributes().contains(id))
        return noted(cudaErrorInvalidValue);
    observe_read(value, sizeof *value, __builtin_return_address(0));
    const std::lock_guard lock(all_streams().mutex);
    all_streams().attributes[stream][id] = *value;
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue* value)
{
    if (!can_use_stream(stream))
        return wrong_stream(__func__, __builtin_return_address(0));
    if (!default_attributes().contains(id))
        return noted(cudaErrorInvalidValue);
    Attributes attributes;
    {
        const std::lock_guard lock(all_streams().mutex);
        attributes = all_streams().attributes[stream];
    }
    attributes.insert(default_attributes().begin(), default_attributes().end());
    return give(value, attributes.at(id), __builtin_return_address(0));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    if (!can_use_stream(to) || !can_use_stream(from))
        return wrong_stream(__func__, __builtin_return_address(0));
    const std::lock_guard lock(all_streams().mutex);
    all_streams().attributes[to] = all_streams().attributes[from];
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned /*flags*/)
{
    const void* const place = __builtin_return_address(0);
    if (const cudaError_t error = refused_while_captured(stream, __func__, place); error != cudaSuccess)
        return error;
    return call_in_stream(stream, __func__, place, [=] { callback(stream, sticky_error(), data); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data)
{
    const void* const place = __builtin_return_address(0);
    if (!is_captured(stream))
        return call_in_stream(stream, __func__, place, [=] { function(data); });
    NodeWork work;
    const cudaError_t error = host_work(work, "cudaLaunchHostFunc", {function, data}, place);
    return error == cudaSuccess ? capture(stream, std::move(work)) : error;
}

// NOLINTEND(readability-identifier-naming)
