// The table of what a program launched, and its warnings: the same text from a program that nvcc built so that it counts, and from one
// that the executor runs. In C++14 without libraries, because the counted program includes it.
#pragma once
#pragma GCC system_header
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Functions that shared libraries of the program have in common.
#define NESTBED_COMMON __attribute__((visibility("default"))) inline

namespace nestbed_count
{

struct LaunchRow {
    const char* kernel;
    unsigned long long from_host, from_device, in_graphs,
        refused; // in_graphs: what graphs ran, whoever launched them
    unsigned deepest;
    bool unknown_level;
    const char* error;  // of the first refused launch: CUDA's name without "cudaError"; empty: none was refused
    const char* place;  // of that launch
    const char* advice; // what to do about it; null: no warning
};

// Launches of graphs, refused ones too.
struct GraphLaunches {
    unsigned long long from_host, from_device, refused;
};

// Prints a message in lines of at most 80 characters. All but the first are indented, and that one too if it continues a message.
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

// What to do about a launch that failed, by CUDA's name of the error without "cudaError"; null: nothing more is known.
NESTBED_COMMON const char* advice(const char* error)
{
    constexpr const char* kAdvice[][2] = {
        {"LaunchPendingCountExceeded",
         "more launches were pending than the limit allows. Raise cudaLimitDevRuntimePendingLaunchCount before "
         "the first launch, launch the root grid in waves, or use a chain of tail launches."},
        {"InvalidConfiguration",
         "the grid or the block has size 0 or is too large. Check the size before the launch."},
        {"InvalidValue", "the grid or the block has size 0 or is too large. Check the size before the launch."},
        {"LaunchOutOfResources",
         "the block needs more registers or shared memory than there are. Use smaller blocks or "
         "__launch_bounds__. Counting adds registers: if the program runs without it, build with "
         "-maxrregcount=64."},
        {"LaunchMaxDepthExceeded",
         "the nesting is too deep. Raise cudaLimitDevRuntimeSyncDepth, or process small inputs in one kernel."},
        {"NoKernelImageForDevice", "there is no code for this GPU. Build with -arch of this GPU."},
        {"InvalidDeviceFunction", "there is no code for this GPU. Build with -arch of this GPU."}};
    for (const auto& known : kAdvice)
        if (strcmp(error, known[0]) == 0)
            return known[1];
    return nullptr;
}

NESTBED_COMMON LaunchRow total_of(const LaunchRow* rows, size_t count)
{
    LaunchRow all = {};
    all.kernel = "total";
    all.error = "";
    for (const LaunchRow* row = rows; row != rows + count; ++row) {
        all.from_host += row->from_host;
        all.from_device += row->from_device;
        all.in_graphs += row->in_graphs;
        all.refused += row->refused;
        all.deepest = row->deepest > all.deepest ? row->deepest : all.deepest;
        all.unknown_level = all.unknown_level || row->unknown_level;
    }
    return all;
}

// The column of graphs stands only in a table that has some.
NESTBED_COMMON void print_row(FILE* out, int width, bool has_graphs, const LaunchRow& row)
{
    char level[16] = "?", graphs[24] = "";
    if (!row.unknown_level)
        snprintf(level, sizeof(level), "%u", row.deepest);
    if (has_graphs)
        snprintf(graphs, sizeof(graphs), "  %9llu", row.in_graphs);
    fprintf(out, "%-*s  %9llu  %11llu%s  %7llu  %7s%s%s\n", width, row.kernel, row.from_host, row.from_device, graphs,
            row.refused, level, *row.error == 0 ? "" : "  ", row.error);
}

// One line per kernel, and a last one `total` if there are several; launches of graphs; then, if no launch was accepted, that no kernel ran.
NESTBED_COMMON void print_table(FILE* out, const LaunchRow* rows, size_t count, const GraphLaunches& graphs)
{
    const bool has_graphs = graphs.from_host != 0 || graphs.from_device != 0;
    if (count == 0 && !has_graphs) {
        fputs("nestbed: no kernel ran: the program launched none\n", out);
        return;
    }
    const LaunchRow all = total_of(rows, count);
    const bool has_column = has_graphs || all.in_graphs != 0;
    size_t width = strlen("kernel");
    for (const LaunchRow* row = rows; row != rows + count; ++row)
        width = strlen(row->kernel) > width ? strlen(row->kernel) : width;
    fprintf(out, "%-*s  from host  from device%s  refused  deepest  first error\n", static_cast<int>(width), "kernel",
            has_column ? "  in graphs" : "");
    for (const LaunchRow* row = rows; row != rows + count; ++row)
        print_row(out, static_cast<int>(width), has_column, *row);
    if (count > 1)
        print_row(out, static_cast<int>(width), has_column, all);
    if (has_graphs)
        fprintf(out, "%-*s  %9llu  %11llu  %9s  %7llu\n", static_cast<int>(width), "graphs", graphs.from_host,
                graphs.from_device, "", graphs.refused);
    if (count > 0 && all.refused == all.from_host + all.from_device + all.in_graphs && rows->advice != nullptr)
        print_folded(out, false, "nestbed: no kernel ran: %llu of %llu launches were refused (%s)", all.refused,
                     all.refused, rows->error);
}

// A warning per kernel of which launches were refused.
NESTBED_COMMON void print_warnings(FILE* out, const LaunchRow* rows, size_t count)
{
    for (const LaunchRow* row = rows; row != rows + count; ++row) {
        if (row->refused == 0 || row->advice == nullptr)
            continue;
        print_folded(out, false, "warning: %llu of %llu launches of %s were refused, first at %s", row->refused,
                     row->from_host + row->from_device + row->in_graphs, row->kernel, row->place);
        print_folded(out, true, "%s, which only cudaGetLastError() in the launching thread returns: %s", row->error,
                     row->advice);
    }
}

} // namespace nestbed_count
