// Prints the table of a counted program at its end, and writes the same as JSON to the file $NESTBED_REPORT.
#pragma once
#pragma GCC system_header
#include "count_read.cuh"

namespace nestbed_count
{

NESTBED_COMMON const char* error_name(int error)
{
    const char* const name = error == 0 ? "" : cudaGetErrorName(static_cast<cudaError_t>(error));
    return strncmp(name, "cudaError", 9) == 0 ? name + 9 : name;
}

// Whether another file ends as the place from `from` on.
NESTBED_COMMON bool is_ambiguous(const char* place, const char* from)
{
    const size_t whole = bytes_of_file(place), bytes = whole - static_cast<size_t>(from - place);
    for (const File* file = state().files; file != nullptr; file = file->next) {
        const size_t length = strlen(file->path);
        const bool is_other = length != whole || memcmp(file->path, place, whole) != 0;
        if (is_other && length >= bytes && memcmp(file->path + length - bytes, from, bytes) == 0 &&
            (length == bytes || file->path[length - bytes - 1] == '/'))
            return true;
    }
    return false;
}

// FILE:LINE with no more folders than tell the file from all others that launch.
NESTBED_COMMON const char* short_place(const char* place)
{
    const char* from = place + bytes_of_file(place);
    while (from != place) {
        --from;
        while (from != place && from[-1] != '/')
            --from;
        if (!is_ambiguous(place, from))
            break;
    }
    return from;
}

// The rows of the table, in memory that lives as long as the process.
NESTBED_COMMON LaunchRow* launch_rows(size_t& count)
{
    count = 0;
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next)
        ++count;
    LaunchRow* const rows = static_cast<LaunchRow*>(zeroed((count + 1) * sizeof(LaunchRow)));
    LaunchRow* row = rows;
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next, ++row) {
        const char* const error = error_name(kernel->first_error);
        const char* const known = advice(error);
        const char* const text = cudaGetErrorString(static_cast<cudaError_t>(kernel->first_error));
        *row = {kernel->name,
                kernel->from_host,
                kernel->from_device,
                kernel->in_graphs,
                kernel->refused,
                kernel->deepest,
                kernel->unknown_level,
                error,
                short_place(kernel->place),
                means_no_device(kernel->first_error) ? nullptr
                : known != nullptr                   ? known
                                                     : text};
    }
    return rows;
}

// What else the reader of the table must know.
NESTBED_COMMON void print_notes(FILE* out, bool unknown_level)
{
    if (state().no_device != 0)
        print_folded(out, false, "nestbed: there is no usable CUDA device (%s): no kernel ran",
                     error_name(state().no_device));
    for (int device = 0; device < kDevices; ++device)
        if (state().lost[device] != 0)
            print_folded(out, false,
                         "nestbed: device %d was lost (%s): its launches from the device are counted only up to the "
                         "last time that they were read",
                         device, error_name(state().lost[device]));
    for (const Uncounted* call = state().uncounted; call != nullptr; call = call->next)
        print_folded(out, false, "not counted: %s at %s", call->call, short_place(call->place));
    if (unknown_level)
        print_folded(
            out, false,
            "nestbed: '?': a function launches that a kernel of another file called; its level is not known");
}

// ---- the same as JSON ----

NESTBED_COMMON void print_string(FILE* out, const char* text)
{
    fputc('"', out);
    for (; *text != 0; ++text) {
        const unsigned char one = static_cast<unsigned char>(*text);
        if (one == '"' || one == '\\')
            fprintf(out, "\\%c", one);
        else if (one < 0x20)
            fprintf(out, "\\u%04x", one);
        else
            fputc(one, out);
    }
    fputc('"', out);
}

NESTBED_COMMON void print_json(FILE* out, const LaunchRow& all)
{
    fputs("{\"kernels\":[", out);
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next) {
        fputs(kernel == state().kernels ? "\n {\"kernel\":" : ",\n {\"kernel\":", out);
        print_string(out, kernel->name);
        fprintf(out, ",\"from_host\":%llu,\"from_device\":%llu,\"in_graphs\":%llu,\"refused\":%llu,\"deepest\":",
                kernel->from_host, kernel->from_device, kernel->in_graphs, kernel->refused);
        if (kernel->unknown_level)
            fputs("null", out);
        else
            fprintf(out, "%u", kernel->deepest);
        fprintf(out, ",\"first_error\":\"%s\",\"place\":", error_name(kernel->first_error));
        print_string(out, short_place(kernel->place));
        fputc('}', out);
    }
    fprintf(out, "],\n\"launches_from_device\":%llu,\"refused\":%llu,\"lost_devices\":[", all.from_device,
            all.refused);
    const char* separator = "";
    for (int device = 0; device < kDevices; ++device)
        if (state().lost[device] != 0) {
            fprintf(out, "%s%d", separator, device);
            separator = ",";
        }
    fputs("],\"not_counted\":[", out);
    for (const Uncounted* call = state().uncounted; call != nullptr; call = call->next) {
        fputs(call == state().uncounted ? "{\"call\":" : ",{\"call\":", out);
        print_string(out, call->call);
        fputs(",\"place\":", out);
        print_string(out, short_place(call->place));
        fputc('}', out);
    }
    const GraphLaunches& graphs = state().graphs;
    fprintf(out, "],\"graphs\":{\"from_host\":%llu,\"from_device\":%llu,\"refused\":%llu},\"backend\":\"cuda\"}\n",
            graphs.from_host, graphs.from_device, graphs.refused);
}

// "%p" in the name of the file is the number of the process, "%%" a '%'. False: it does not fit.
NESTBED_COMMON bool report_path(const char* name, char* to, size_t bytes)
{
    char number[16];
    snprintf(number, sizeof(number), "%d", nestbed_process_id());
    size_t at = 0;
    for (; *name != 0; ++name) {
        const bool process = name[0] == '%' && name[1] == 'p';
        const char one[2] = {*name, 0};
        const char* const piece = process ? number : one;
        if (process || (name[0] == '%' && name[1] == '%'))
            ++name;
        if (at + strlen(piece) >= bytes)
            return false;
        memcpy(to + at, piece, strlen(piece));
        at += strlen(piece);
    }
    to[at] = 0;
    return true;
}

NESTBED_COMMON void write_report(const LaunchRow& all)
{
    const char* const name = getenv("NESTBED_REPORT");
    if (name == nullptr || *name == 0)
        return;
    char path[4096];
    FILE* const file = report_path(name, path, sizeof(path)) ? fopen(path, "w") : nullptr;
    if (file == nullptr) {
        fprintf(stderr, "nestbed: NESTBED_REPORT=%s could not be written\n", name);
        return;
    }
    print_json(file, all);
    const bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written)
        fprintf(stderr, "nestbed: %s could not be written completely\n", path);
}

// Once per process. A forked child that has not launched itself says nothing.
NESTBED_COMMON void report()
{
    char* text = nullptr;
    const TraceHooks* trace = nullptr;
    {
        const Lock lock;
        if (state().reported || state().process != nestbed_process_id())
            return;
        state().reported = true;
        if (state().exit_is_registered)
            read_launched(-1, true);
        for (Unit* unit = state().units; unit != nullptr; unit = unit->next)
            for (int device = 0; device < kDevices; ++device)
                keep_counts(*unit, device);
        size_t count = 0, bytes = 0;
        const LaunchRow* const rows = launch_rows(count);
        const LaunchRow all = total_of(rows, count);
        FILE* const out = open_memstream(&text, &bytes); // written at once: other processes may write as well
        if (out != nullptr) {
            print_table(out, rows, count, state().graphs);
            print_notes(out, all.unknown_level);
            print_warnings(out, rows, count);
            fclose(out);
        }
        write_report(all);
        trace = trace_hooks();
    }
    fflush(stdout);
    fputs(text == nullptr ? "nestbed: no memory to print the launches\n" : text, stderr);
    free(text);
    if (trace != nullptr)
        trace->write();
}
NESTBED_COMMON void report_at_exit()
{
    report();
}

// ---- what the rewriter puts in the place of the functions of the same name ----

// The counts of a device are lost by a reset.
NESTBED_COMMON cudaError_t device_reset()
{
    const cudaError_t pending = cudaPeekAtLastError();
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess) {
        if (pending == cudaSuccess)
            cudaGetLastError();
        return cudaDeviceReset();
    }
    if (device < kDevices) {
        const Lock lock;
        read_launched(device, true);
        for (Unit* unit = state().units; unit != nullptr; unit = unit->next)
            keep_counts(*unit, device);
        if (trace_hooks() != nullptr)
            trace_hooks()->forget(device);
        state().launched[device] = false;
    }
    return cudaDeviceReset();
}

// Reads now and then: what is read stays known if the device is lost later.
NESTBED_COMMON cudaError_t device_synchronize()
{
    const cudaError_t result = cudaDeviceSynchronize();
    int device = -1;
    if (result != cudaSuccess || !state().exit_is_registered || now_ns() - state().last_read_ns < kReadInterval_ns ||
        cudaGetDevice(&device) != cudaSuccess)
        return result;
    const Lock lock;
    read_launched(device);
    return result;
}

// _exit and _Exit run no handlers.
[[noreturn]] NESTBED_COMMON void exit_at_once(int code)
{
    report();
    _Exit(code);
}

[[noreturn]] NESTBED_COMMON void quick_exit(int code)
{
    report();
    ::quick_exit(code);
}

} // namespace nestbed_count
