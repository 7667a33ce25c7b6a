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

// Prints a message in lines of at most 80 characters, as runtime/report_text.cpp does. All but the first are indented,
// and that one too if it continues a message.
__attribute__((format(printf, 3, 4))) NESTBED_COMMON void print_folded(FILE* out, bool continues, const char* format,
                                                                       ...)
{
    constexpr size_t kColumns = 80, kIndent = 2;
    char message[1024]; // names and places are shorter: count_state.cuh
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof(message), format, values);
    va_end(values);
    fputs(continues ? "  " : "", out);
    size_t width = 0; // of the line, as if it were indented; 0: no word yet
    for (const char* text = message; *text != 0;) {
        const size_t word = strcspn(text, " ");
        const bool fits = width + 1 + word <= kColumns;
        if (width != 0)
            fputs(fits ? " " : "\n  ", out);
        width = (width != 0 && fits ? width + 1 : kIndent) + word;
        fwrite(text, 1, word, out);
        text += text[word] == ' ' ? word + 1 : word;
    }
    fputc('\n', out);
}

// What to do about a launch that failed.
NESTBED_COMMON const char* advice(int error)
{
    switch (error) {
    case cudaErrorLaunchPendingCountExceeded:
        return "more launches were pending than the limit allows. Raise cudaLimitDevRuntimePendingLaunchCount before "
               "the first launch, launch the root grid in waves, or use a chain of tail launches.";
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue: // what CUDA 13 gives on the host
        return "the grid or the block has size 0 or is too large. Check the size before the launch.";
    case cudaErrorLaunchOutOfResources:
        return "the block needs more registers or shared memory than there are. Use smaller blocks or "
               "__launch_bounds__. Counting adds registers: if the program runs without it, build with "
               "-maxrregcount=64.";
    case cudaErrorLaunchMaxDepthExceeded:
        return "the nesting is too deep. Raise cudaLimitDevRuntimeSyncDepth, or process small inputs in one kernel.";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        return "there is no code for this GPU. Build with -arch of this GPU.";
    default:
        return cudaGetErrorString(static_cast<cudaError_t>(error));
    }
}

struct Totals {
    unsigned kernels, deepest;
    unsigned long long from_host, from_device, refused;
    bool unknown_level;
    int width; // of the column of names
};

NESTBED_COMMON Totals totals()
{
    Totals all = {};
    all.width = 6;
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next) {
        ++all.kernels;
        all.from_host += kernel->from_host;
        all.from_device += kernel->from_device;
        all.refused += kernel->refused;
        all.deepest = kernel->deepest > all.deepest ? kernel->deepest : all.deepest;
        all.unknown_level = all.unknown_level || kernel->unknown_level;
        const int width = static_cast<int>(strlen(kernel->name));
        all.width = width > all.width ? width : all.width;
    }
    return all;
}

NESTBED_COMMON void print_row(FILE* out, int width, const char* name, const unsigned long long (&counts)[3],
                              unsigned deepest, bool unknown_level, const char* error)
{
    char level[16] = "?";
    if (!unknown_level)
        snprintf(level, sizeof(level), "%u", deepest);
    fprintf(out, "%-*s  %9llu  %11llu  %7llu  %7s%s%s\n", width, name, counts[0], counts[1], counts[2], level,
            *error == 0 ? "" : "  ", error);
}

NESTBED_COMMON void print_table(FILE* out)
{
    const Totals all = totals();
    fprintf(out, "%-*s  from host  from device  refused  deepest  first error\n", all.width, "kernel");
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next)
        print_row(out, all.width, kernel->name, {kernel->from_host, kernel->from_device, kernel->refused},
                  kernel->deepest, kernel->unknown_level, error_name(kernel->first_error));
    if (all.kernels > 1)
        print_row(out, all.width, "total", {all.from_host, all.from_device, all.refused}, all.deepest,
                  all.unknown_level, "");
}

// What the reader of the table must know.
NESTBED_COMMON void print_notes(FILE* out)
{
    const Totals all = totals();
    if (all.kernels == 0)
        fputs("nestbed: no kernel ran: the program launched none\n", out);
    else if (all.refused == all.from_host + all.from_device && state().no_device == 0)
        print_folded(out, false, "nestbed: no kernel ran: %llu of %llu launches were refused (%s)", all.refused,
                     all.refused, error_name(state().kernels->first_error));
    if (state().no_device != 0)
        print_folded(out, false, "nestbed: there is no usable CUDA device (%s): no kernel ran",
                     error_name(state().no_device));
    for (int device = 0; device < kDevices; ++device)
        if (state().lost[device] != 0)
            print_folded(out, false,
                         "nestbed: device %d was lost (%s): its launches from the device are counted only up to the "
                         "last time that they were read",
                         device, error_name(state().lost[device]));
    if (all.unknown_level)
        print_folded(
            out, false,
            "nestbed: '?': a function launches that a kernel of another file called; its level is not known");
}

NESTBED_COMMON void print_warnings(FILE* out)
{
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next) {
        if (kernel->refused == 0 || means_no_device(kernel->first_error))
            continue;
        print_folded(out, false, "warning: %llu of %llu launches of %s were refused, first at %s", kernel->refused,
                     kernel->from_host + kernel->from_device, kernel->name, kernel->place);
        print_folded(out, true, "%s, which only cudaGetLastError() in the launching thread returns: %s",
                     error_name(kernel->first_error), advice(kernel->first_error));
    }
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

NESTBED_COMMON void print_json(FILE* out)
{
    const Totals all = totals();
    fputs("{\"kernels\":[", out);
    for (const Kernel* kernel = state().kernels; kernel != nullptr; kernel = kernel->next) {
        fputs(kernel == state().kernels ? "\n {\"kernel\":" : ",\n {\"kernel\":", out);
        print_string(out, kernel->name);
        fprintf(out, ",\"from_host\":%llu,\"from_device\":%llu,\"refused\":%llu,\"deepest\":", kernel->from_host,
                kernel->from_device, kernel->refused);
        if (kernel->unknown_level)
            fputs("null", out);
        else
            fprintf(out, "%u", kernel->deepest);
        fprintf(out, ",\"first_error\":\"%s\",\"place\":", error_name(kernel->first_error));
        print_string(out, kernel->place);
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
    fputs("],\"backend\":\"cuda\"}\n", out);
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

NESTBED_COMMON void write_report()
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
    print_json(file);
    const bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written)
        fprintf(stderr, "nestbed: %s could not be written completely\n", path);
}

// Once per process. A forked child that has not launched itself says nothing.
NESTBED_COMMON void report()
{
    char* text = nullptr;
    {
        const Lock lock;
        if (state().reported || state().process != nestbed_process_id())
            return;
        state().reported = true;
        if (state().exit_is_registered)
            read_launched(-1);
        for (Unit* unit = state().units; unit != nullptr; unit = unit->next)
            for (int device = 0; device < kDevices; ++device)
                keep_counts(*unit, device);
        size_t bytes = 0;
        FILE* const out = open_memstream(&text, &bytes); // written at once: other processes may write as well
        if (out != nullptr) {
            print_table(out);
            print_notes(out);
            print_warnings(out);
            fclose(out);
        }
        write_report();
    }
    fflush(stdout);
    fputs(text == nullptr ? "nestbed: no memory to print the launches\n" : text, stderr);
    free(text);
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
        read_launched(device);
        for (Unit* unit = state().units; unit != nullptr; unit = unit->next)
            keep_counts(*unit, device);
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
