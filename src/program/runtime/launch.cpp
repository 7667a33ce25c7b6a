// Launches: from the host they run at once, from kernels when the schedule says so.
#include "base/reported_place.hpp"
#include "device/cpu/observer.hpp"
#include "program/runtime/argument_checks.hpp"
#include "program/runtime/error_texts.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/kernel_limits.hpp"
#include "program/runtime/late_work.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <unwind.h>
#include <utility>

namespace nestbed::program
{

namespace
{

struct Configuration {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    Place place{};
    const void* address = nullptr; // after the launch, for the observer
    Kernel* kernel = nullptr;      // nullptr: a library's
    const void* code = nullptr;    // of the kernel
    void* outer = nullptr;         // the configuration of a launch whose arguments contain this one
    bool programmatic = false;     // it need not wait for the end of the grid before it
    BlockGroups groups{};
    std::vector<cudaLaunchAttribute> attributes{};
    std::shared_ptr<KeptArguments> arguments{}; // of a launch that is captured
    cudaError_t* error = nullptr;               // where the error of the launch goes too
};

thread_local void* configured_by_host = nullptr;

void*& configured()
{
    return cpu::in_kernel() ? cpu::current_thread->program.configured : configured_by_host;
}

std::unique_ptr<Configuration> take_configuration(const char* kernel)
{
    std::unique_ptr<Configuration> taken(static_cast<Configuration*>(configured()));
    configured() = taken == nullptr ? nullptr : taken->outer;
    if (taken == nullptr)
        throw KernelFault(cudaErrorInvalidConfiguration,
                          fmt::format("kernel {} was called without a launch configuration <<<...>>>", kernel));
    return taken;
}

Mechanism mechanism_of(cudaStream_t stream)
{
    if (stream == cudaStreamTailLaunch)
        return Mechanism::tail;
    if (stream == cudaStreamFireAndForget)
        return Mechanism::fire_and_forget;
    return is_named(stream) ? Mechanism::named_stream : Mechanism::null_stream;
}

std::function<void()> function_of(const void* body, const BodyFunctions& functions)
{
    return [copy = std::shared_ptr<void>(functions.copy(body), functions.end), call = functions.call] {
        call(copy.get());
    };
}

// The running grid, as the parent of what it launches.
std::shared_ptr<GridRecord> running_grid()
{
    return static_cast<GridRecord*>(cpu::current_thread->program.grid)->shared_from_this();
}

cpu::KernelCall call_of(const std::shared_ptr<GridRecord>& grid, std::function<void()> body, const char* kernel,
                        const Configuration& of)
{
    cpu::KernelCall call = [grid, body = std::move(body)] {
        const RunningThread running(*grid);
        body();
    };
    call.launch = {kernel, of.place.file, of.place.line};
    call.cooperative = of.groups.cooperative;
    call.cluster = of.groups.cluster;
    return call;
}

std::shared_ptr<GridRecord> record_of(const char* kernel, const Configuration& launch)
{
    auto grid = std::make_shared<GridRecord>();
    grid->kernel = kernel;
    grid->grid = launch.grid;
    grid->block = launch.block;
    grid->shared_bytes = launch.shared_bytes;
    grid->place = launch.place.line == 0 ? "" : spelled(launch.place);
    if (state().ledger.keeps_grids())
        grid->called_ns = now_ns();
    return grid;
}

void refuse(GridRecord& grid, const Configuration& launch)
{
    Refusal refusal =
        refusal_of(launch.kernel, launch.code, launch.grid, launch.block, launch.shared_bytes, launch.groups);
    grid.error = refusal.error;
    grid.why_refused = std::move(refusal.why);
    if (grid.error != cudaSuccess)
        return;
    if (can_use_stream(launch.stream))
        return warn_of_stream_of_another_block(launch.stream, grid);
    grid.error = wrong_stream(fmt::format("{}: launch of {}", grid.place, grid.kernel), nullptr);
    grid.why_refused = "its stream is not one that the caller can use. A kernel can use the streams that threads of "
                       "its own grid have created "
                       "and not destroyed, the host its own.";
}

cudaError_t launch_from_kernel(const char* kernel, const Configuration& launch, std::function<void()> body,
                               bool of_library)
{
    made_progress();
    if (cpu::is_cooperative())
        fault_at(launch.place, cudaErrorNotPermitted,
                 "a cooperative grid launches a kernel; on a GPU no grid of such a kernel can be cooperative");
    const std::shared_ptr<GridRecord> grid = record_of(kernel, launch);
    grid->parent = running_grid();
    grid->level = grid->parent->level + 1;
    grid->mechanism = mechanism_of(launch.stream);
    grid->of_library = of_library;
    if (grid->place.empty())
        grid->place = grid->parent->place;
    refuse(*grid, launch);
    if (grid->error == cudaSuccess)
        grid->error = cpu::launch_into(number_of(launch.stream), launch.grid, launch.block, grid->mechanism,
                                       call_of(grid, std::move(body), kernel, launch), launch.address);
    state().ledger.add(grid);
    if (grid->error != cudaSuccess)
        note_refusal();
    return noted(static_cast<cudaError_t>(grid->error));
}

// Of the kernel that the host launched last.
struct LastLaunched {
    std::string kernel, place;
    std::string text() const { return fmt::format("kernel {} (launched at {})", kernel, place); }
};
LastLaunched last_launched;

void has_failed(cudaError_t error, const std::string& why, const std::string& said)
{
    say(said);
    set_sticky_error(error);
    note_failed({last_launched.kernel, last_launched.place, error_name(error), why});
}

// Runs kernels that the host launched. A fault of theirs is an error of the device.
template <class Run>
void run_watched(const Run& run)
{
    const auto with_name = [](const char* text) { return fmt::format("{}: {}", last_launched.text(), text); };
    try {
        const WatchedRun watched;
        run();
    } catch (const KernelFault& fault) {
        has_failed(fault.error(), fault.what(), fault.what());
    } catch (const cpu::Fault& fault) {
        const bool is_illegal = dynamic_cast<const cpu::IllegalAccess*>(&fault) != nullptr;
        has_failed(is_illegal ? cudaErrorIllegalAddress : cudaErrorLaunchFailure, fault.what(),
                   fault.names_kernel() ? fault.what() : with_name(fault.what()));
    } catch (const std::exception& error) {
        has_failed(cudaErrorLaunchFailure, error.what(), with_name(error.what()));
    }
    check_guards("after " + last_launched.text());
}

// False of one that the executor does not have.
bool add_attribute(Configuration& launch, const cudaLaunchAttribute& attribute)
{
    switch (attribute.id) {
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        launch.programmatic = attribute.val.programmaticStreamSerializationAllowed != 0;
        return true;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePreferredClusterDimension:
        return true; // they change times alone
    case cudaLaunchAttributeCooperative:
        launch.groups.cooperative = attribute.val.cooperative != 0;
        return true;
    case cudaLaunchAttributeClusterDimension:
        launch.groups.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
        launch.groups.is_given = true;
        return true;
    default:
        return false;
    }
}

// The cluster that the kernel requires, unless the launch gives one.
void add_required_cluster(Configuration& launch)
{
    if (launch.kernel != nullptr && launch.kernel->cluster.are_given() && !launch.groups.is_given)
        launch.groups.cluster = {launch.kernel->cluster.x, launch.kernel->cluster.y, launch.kernel->cluster.z};
}

cudaError_t launch_from_host(const char* kernel, const Configuration& launch, std::function<void()> body,
                             bool of_library);

// Of a graph: the same launch into the stream of the node.
NodeWork node_of(const char* kernel, const Configuration& launch, const std::function<void()>& body, bool of_library)
{
    Configuration plain = launch; // the attributes of the node may become others
    plain.groups = {};
    add_required_cluster(plain);
    plain.arguments = nullptr;
    NodeWork work{
        .type = cudaGraphNodeTypeKernel,
        .put =
            [=](cudaStream_t stream, const NodeWork& of, bool programmatic) {
                Configuration own = plain;
                own.stream = stream;
                for (const cudaLaunchAttribute& attribute : of.attributes)
                    add_attribute(own, attribute);
                own.programmatic = programmatic;
                return launch_from_host(kernel, own, body, of_library);
            },
        .place = launch.address,
        .name = fmt::format("kernel {}", kernel),
        .programmatic = launch.programmatic,
        .attributes = launch.attributes,
        .kernel = {nullptr, launch.grid, launch.block, static_cast<unsigned>(launch.shared_bytes), nullptr, nullptr}};
    if (launch.arguments != nullptr) {
        work.arguments = launch.arguments;
        work.kernel.func = launch.arguments->kernel;
        work.kernel.kernelParams = launch.arguments->addresses.data();
    }
    return work;
}

cudaError_t launch_from_host(const char* kernel, const Configuration& launch, std::function<void()> body,
                             bool of_library)
{
    // After an illegal access no kernel runs on a GPU. The detector goes on, to report those of other kernels.
    const cudaError_t before = sticky_error();
    if (before != cudaSuccess && (before != cudaErrorIllegalAddress || cpu::observer == nullptr))
        return before;
    const std::shared_ptr<GridRecord> grid = record_of(kernel, launch);
    grid->of_library = of_library;
    refuse(*grid, launch);
    if (grid->error == cudaSuccess && is_captured(launch.stream)) {
        grid->error = capture(launch.stream, node_of(kernel, launch, body, of_library));
        if (grid->error == cudaSuccess)
            return cudaSuccess;
    }
    grid->graph_run = running_graph();
    state().ledger.add(grid);
    if (grid->error != cudaSuccess) {
        note_refusal();
        return noted(static_cast<cudaError_t>(grid->error));
    }
    const std::lock_guard lock(state().running);
    use_stream(launch.stream);
    const std::uint64_t stream = number_of(launch.stream);
    put_into(stream, [launch, grid, stream, name = std::string(kernel), before,
                      call = call_of(grid, std::move(body), kernel, launch)] {
        if (sticky_error() != before)
            return; // of a kernel that ran late
        last_launched = {name, grid->place};
        run_watched([&] {
            state().executor.run(launch.grid, launch.block, call, static_cast<unsigned>(stream), launch.programmatic);
        });
    });
    return before;
}

} // namespace

__attribute__((noinline)) void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                                         const char* file, unsigned line)
{
    auto launch = std::make_unique<Configuration>(Configuration{.grid = grid,
                                                                .block = block,
                                                                .shared_bytes = shared_bytes,
                                                                .stream = stream,
                                                                .place = {file, line},
                                                                .address = __builtin_return_address(0),
                                                                .outer = configured()});
    configured() = launch.release(); // submit() takes it over, after the launches that the arguments make
}

void keep_if_captured(const Kernel& kernel, const Parameters& parameters, const volatile void* const* arguments,
                      const void* code)
{
    auto* const launch = cpu::in_kernel() ? nullptr : static_cast<Configuration*>(configured_by_host);
    if (launch == nullptr || !is_captured(launch->stream))
        return;
    void* const function = _Unwind_FindEnclosingFunction(const_cast<void*>(code)); // NOLINT(*-const-cast)
    if (function == nullptr || kernel_at(function) != &kernel)
        return;
    auto kept = std::make_shared<KeptArguments>();
    kept->kernel = function;
    for (unsigned index = 0; index < parameters.count; ++index) {
        // NOLINTNEXTLINE(*-const-cast): nothing else writes it
        const auto* const bytes = static_cast<const std::byte*>(const_cast<const void*>(arguments[index]));
        kept->values.emplace_back(bytes, bytes + parameters.bytes[index]);
    }
    for (std::vector<std::byte>& value : kept->values)
        kept->addresses.push_back(value.data());
    launch->arguments = std::move(kept);
}

__attribute__((noinline)) void submit(Kernel& kernel, const void* body, std::size_t bytes,
                                      const BodyFunctions& functions)
{
    std::function<void()> work = function_of(body, functions);
    const std::unique_ptr<Configuration> launch = take_configuration(kernel.name);
    launch->kernel = &kernel;
    launch->code = __builtin_return_address(0);
    add_required_cluster(*launch);
    if (cpu::in_kernel()) {
        warn_of_own_memory(kernel.name, launch->place, body, bytes);
        launch_from_kernel(kernel.name, *launch, std::move(work), false);
        return;
    }
    const HostArguments watched(kernel.name, launch->place, body, bytes);
    const cudaError_t error = launch_from_host(kernel.name, *launch, std::move(work), false);
    if (launch->error != nullptr)
        *launch->error = error;
}

cudaError_t launch_extended(const ExtendedLaunch& launch, void (*call)(void* of), void* of_call)
{
    const cudaLaunchConfig_t& of = *launch.configuration;
    cudaError_t error = cudaSuccess;
    Configuration configuration{.grid = of.gridDim,
                                .block = of.blockDim,
                                .shared_bytes = of.dynamicSmemBytes,
                                .stream = of.stream,
                                .place = launch.place,
                                .outer = configured(),
                                .error = &error};
    configuration.attributes.assign(of.attrs, of.attrs + of.numAttrs);
    for (const cudaLaunchAttribute& attribute : configuration.attributes)
        if (!add_attribute(configuration, attribute))
            return noted(cudaErrorNotSupported,
                         fmt::format("{}: cudaLaunchKernelEx: launch attribute {}; the executor has no events of "
                                     "launches, and no nodes that kernels change",
                                     spelled(launch.place), static_cast<int>(attribute.id)));
    configured() = std::make_unique<Configuration>(configuration).release(); // submit() takes it over
    call(of_call);
    return error;
}

cudaError_t launch_by_address(const ExtendedLaunch& launch, const void* kernel, void** arguments)
{
    const FoundKernel found = found_kernel(kernel);
    if (found.kernel == nullptr)
        return noted(cudaErrorInvalidDeviceFunction,
                     fmt::format("{}: a launch by an address that is not of a kernel", spelled(launch.place)));
    if (found.parameters == nullptr)
        return noted(
            cudaErrorNotSupported,
            fmt::format("{}: a launch of {} by its address; a kernel with a parameter that has no name can be "
                        "launched by <<<>>> alone",
                        spelled(launch.place), found.kernel->name));
    if (found.parameters->count > 0 && arguments == nullptr)
        return noted(cudaErrorInvalidValue, fmt::format("{}: a launch of {} by its address without arguments",
                                                        spelled(launch.place), found.kernel->name));
    const auto call = [&] { found.parameters->call(kernel, arguments); };
    return launch_extended(
        launch, [](void* of) { (*static_cast<decltype(call)*>(of))(); },
        const_cast<void*>(static_cast<const void*>(&call)));
}

bool can_have(const cudaLaunchAttribute& attribute)
{
    Configuration none;
    return add_attribute(none, attribute);
}

void finish_works()
{
    if (cpu::in_kernel())
        return;
    const std::lock_guard lock(state().running);
    run_all_works();
    finish_launches();
}

void finish_launches()
{
    if (cpu::in_kernel())
        return;
    const std::lock_guard lock(state().running);
    if (!state().executor.is_running())
        return;
    run_watched([] { state().executor.finish(); });
}

cudaError_t submit_copy(const char* name, std::function<void()> body, cudaStream_t stream, const void* place)
{
    return launch_from_kernel(
        name, {.grid = {}, .block = {}, .shared_bytes = 0, .stream = stream, .place = {}, .address = place},
        std::move(body), true);
}

void run_library_kernel(const char* name, std::size_t threads, const void* body, const BodyFunctions& functions,
                        cudaStream_t stream, Place place)
{
    std::function<void()> work = function_of(body, functions);
    constexpr unsigned kBlock = 256;
    Configuration launch;
    launch.grid = dim3(static_cast<unsigned>((threads + kBlock - 1) / kBlock));
    launch.block = dim3(kBlock);
    launch.stream = stream;
    launch.place = place;
    launch.address = __builtin_return_address(0);
    if (cpu::in_kernel())
        launch_from_kernel(name, launch, std::move(work), true);
    else
        launch_from_host(name, launch, std::move(work), true);
}

void* shared_variable(const void* key, std::size_t bytes, std::size_t element_bytes, const char* name)
{
    return cpu::shared_memory(key, bytes, element_bytes, name);
}

void* dynamic_shared_memory(std::size_t element_bytes, const char* name)
{
    // A launch without dynamic shared memory may still name it. Then it has an address and no bytes.
    static const char key = 0;
    const auto& grid = *static_cast<const GridRecord*>(cpu::current_thread->program.grid);
    return cpu::shared_memory(&key, grid.shared_bytes, element_bytes, name);
}

void fault(cudaError_t error, const char* text)
{
    if (!cpu::in_kernel()) {
        say(text);
        std::abort();
    }
    throw KernelFault(error, fmt::format("{}: {}", described(*cpu::current_thread), text));
}

void fault_at(Place place, cudaError_t error, const char* text)
{
    fault(error, fmt::format("{}: {}", spelled(place), text).c_str());
}

void not_supported_at(Place place, const char* text)
{
    if (cpu::in_kernel())
        fault_at(place, cudaErrorNotSupported, text);
    const std::string message = fmt::format("{}: {}", spelled(place), text);
    say(message);
    report_so_far(message, {});
    _exit(exit_rows_bad);
}

void assertion_failed(const char* expression, const char* file, unsigned line, const char* function)
{
    if (!cpu::in_kernel()) {
        static_cast<void>(std::fflush(stdout));
        static_cast<void>(
            std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression));
        std::abort();
    }
    fault_at({file, line}, cudaErrorAssert, fmt::format("assertion `{}` failed", expression).c_str());
}

const GridRecord* grid_of_running_thread()
{
    return cpu::in_kernel() ? static_cast<const GridRecord*>(cpu::current_thread->program.grid) : nullptr;
}

std::string described_block(const cpu::ThreadContext& thread)
{
    const auto* const grid = static_cast<const GridRecord*>(thread.program.latest_grid);
    const uint3 block = thread.block_index;
    const std::string kernel =
        grid == nullptr ? "a kernel" : fmt::format("kernel {} (launched at {})", grid->kernel, grid->place);
    return fmt::format("{}, block ({},{},{})", kernel, block.x, block.y, block.z);
}

std::string described(const cpu::ThreadContext& thread)
{
    const uint3 index = thread.thread_index;
    return fmt::format("{}, thread ({},{},{})", described_block(thread), index.x, index.y, index.z);
}

std::string spelled(Place place)
{
    return reported_place(place.file, place.line);
}

} // namespace nestbed::program
