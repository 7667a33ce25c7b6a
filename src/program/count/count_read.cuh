// Reads the tables of the devices, without a trace in the program: its last error and its device stay as they are.
#pragma once
#pragma GCC system_header
#include "count_state.cuh"

namespace nestbed_count
{

NESTBED_COMMON void report_at_exit();

// What a traced program does besides (nestbed_trace.cuh). The first two are called with the lock held.
struct TraceHooks {
    void (*read)(int device, bool last); // after the counts of the current device were read
    void (*forget)(int device);          // before a reset
    void (*write)();                     // at the end
};

// A translation unit with kernels. `read` copies its table from the current device.
struct Unit {
    Unit(cudaError_t (*reader)(Table*), bool can_launch) : read(reader), launches(can_launch)
    {
        const Lock lock;
        next = state().units;
        state().units = this;
        if (state().process != 0)
            return;
        state().process = nestbed_process_id();
        atexit(report_at_exit); // for a program that launches nothing
    }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;
    // When its library is unloaded, or before the report if it was loaded late.
    ~Unit();

    Unit* next = nullptr;
    cudaError_t (*read)(Table*);
    bool launches;                     // its kernels launch kernels
    const TraceHooks* trace = nullptr; // of a traced file
    Table* last[kDevices] = {};        // the table as it was last read; nullptr: nothing
};

NESTBED_COMMON const TraceHooks* trace_hooks()
{
    for (const Unit* unit = state().units; unit != nullptr; unit = unit->next)
        if (unit->trace != nullptr)
            return unit->trace;
    return nullptr;
}

// Adds the counts of a table to those of the kernels, for good. With the lock held.
NESTBED_COMMON void add_table(const Table& table)
{
    state().graphs.from_device += table.graphs[0];
    state().graphs.refused += table.graphs[1];
    for (Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next)
        if (kernel->graph_index != 0)
            kernel->in_graphs += table.graphs[kernel->graph_index];
    for (unsigned i = 0; i <= kRows; ++i) {
        const Row& row = table.rows[i];
        if (row.calls == 0)
            continue;
        Kernel& kernel = kernel_of(row.kernel);
        note_file(row.place);
        kernel.from_device += row.calls;
        kernel.refused += row.refused;
        kernel.deepest = row.deepest > kernel.deepest ? row.deepest : kernel.deepest;
        kernel.unknown_level = kernel.unknown_level || row.unknown_level != 0;
        note_error(kernel, row.first_error, row.place);
    }
}

// After a reset, or before the end, the table that was read is final. With the lock held.
NESTBED_COMMON void keep_counts(Unit& unit, int device)
{
    if (unit.last[device] == nullptr)
        return;
    add_table(*unit.last[device]);
    free(unit.last[device]);
    unit.last[device] = nullptr;
}

// Whether the device was reset between two readings, by code that the rewriter does not see.
NESTBED_COMMON bool has_fewer(const Table& now, const Table& before)
{
    for (unsigned i = 0; i <= kRows; ++i)
        if (now.rows[i].calls < before.rows[i].calls)
            return true;
    for (unsigned i = 0; i < kGraphCounts; ++i)
        if (now.graphs[i] < before.graphs[i])
            return true;
    return false;
}

// From the current device, with the lock held. A file whose code is not on the device has launched nothing there.
NESTBED_COMMON void read_unit(Unit& unit, int device)
{
    if (!unit.launches && state().graph_kernels == 0)
        return;
    Table* const now = static_cast<Table*>(zeroed(sizeof(Table)));
    const cudaError_t error = unit.read(now);
    if (error != cudaSuccess) {
        free(now);
        if (error != cudaErrorInvalidSymbol && error != cudaErrorNoKernelImageForDevice &&
            error != cudaErrorInvalidDeviceFunction)
            state().lost[device] = error;
        return;
    }
    if (unit.last[device] != nullptr && has_fewer(*now, *unit.last[device]))
        keep_counts(unit, device);
    free(unit.last[device]);
    unit.last[device] = now;
}

// Waits for one device and reads its tables. With the lock held.
NESTBED_COMMON void read_device(int device, bool last)
{
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        state().lost[device] = error;
    for (Unit* unit = state().units; unit != nullptr && error == cudaSuccess; unit = unit->next)
        read_unit(*unit, device);
    if (trace_hooks() != nullptr && error == cudaSuccess)
        trace_hooks()->read(device, last);
}

// Reads one device, or all that launched (-1). Devices without launches since their reset are left alone. `last`:
// before the end or a reset. With the lock held.
NESTBED_COMMON void read_launched(int only_device, bool last = false)
{
    const cudaError_t pending = cudaPeekAtLastError();
    int current = -1;
    const bool known = cudaGetDevice(&current) == cudaSuccess;
    for (int device = 0; device < kDevices; ++device) {
        if (!state().launched[device] || (only_device >= 0 && device != only_device))
            continue;
        const cudaError_t error = device == current ? cudaSuccess : cudaSetDevice(device);
        if (error == cudaSuccess)
            read_device(device, last);
        else
            state().lost[device] = error;
        if (known && device != current)
            cudaSetDevice(current);
    }
    state().last_read_ns = now_ns();
    if (pending == cudaSuccess) // an error now is one of the reading
        cudaGetLastError();
}

inline Unit::~Unit()
{
    const Lock lock;
    if (!state().reported && state().process == nestbed_process_id() && (launches || state().graph_kernels != 0)) {
        read_launched(-1);
        for (int device = 0; device < kDevices; ++device)
            keep_counts(*this, device);
    }
    for (Unit** at = &state().units; *at != nullptr; at = &(*at)->next)
        if (*at == this) {
            *at = next;
            return;
        }
}

NESTBED_COMMON bool means_no_device(int error)
{
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver || error == cudaErrorStubLibrary ||
           error == cudaErrorSystemDriverMismatch || error == cudaErrorSystemNotReady ||
           error == cudaErrorDevicesUnavailable;
}

// The first launch has initialised CUDA: handlers that are registered now run before the driver's.
NESTBED_COMMON void register_exit()
{
    const Lock lock;
    if (state().exit_is_registered)
        return;
    state().process = nestbed_process_id();
    state().last_read_ns = now_ns();
    atexit(report_at_exit);
    __atomic_store_n(&state().exit_is_registered, true, __ATOMIC_RELEASE);
}

// Whether the launch that the thread makes is a node of a graph, which counts when the graph runs.
NESTBED_COMMON bool& launch_is_captured()
{
    static thread_local bool is_captured = false;
    return is_captured;
}

// The stream of that launch. The NULL stream cannot be captured.
NESTBED_COMMON void note_stream(cudaStream_t stream)
{
    launch_is_captured() = false;
    if (stream == nullptr)
        return;
    const cudaError_t pending = cudaPeekAtLastError();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error != cudaSuccess && pending == cudaSuccess)
        cudaGetLastError();
    launch_is_captured() = error == cudaSuccess && status == cudaStreamCaptureStatusActive;
}

// The host has launched a kernel or a graph, or tried to.
NESTBED_COMMON void note_launch(int error)
{
    if (!__atomic_load_n(&state().exit_is_registered, __ATOMIC_ACQUIRE))
        register_exit();
    int device = 0;
    if (error == 0 && cudaGetDevice(&device) == cudaSuccess && device < kDevices && !state().launched[device])
        state().launched[device] = true;
}

NESTBED_COMMON void count_host_launch(unsigned site, const char* name, const char* place,
                                      int error = cudaPeekAtLastError())
{
    if (error == 0 && launch_is_captured())
        return;
    Site& here = site_of(site, name, place);
    __atomic_fetch_add(&here.kernel->from_host, 1ULL, __ATOMIC_RELAXED);
    note_launch(error);
    if (error == 0)
        return;
    __atomic_fetch_add(&here.kernel->refused, 1ULL, __ATOMIC_RELAXED);
    const Lock lock;
    note_error(*here.kernel, error, here.place);
    if (means_no_device(error))
        state().no_device = error;
}

} // namespace nestbed_count
