// Writes the records of a traced program as rows of CSV, at its end, and has nestbed print them and draw them.
#pragma once
#pragma GCC system_header
#include "trace_state.cuh"

extern "C" int nestbed_access(const char*, int) __asm__("access");

namespace nestbed_trace
{

// The time on the host's clock. Between two comparisons the clocks' difference changes evenly.
NESTBED_COMMON long long host_time(const Segment& segment, unsigned long long device_ns)
{
    const Clock& first = segment.first.within_ns >= 0 ? segment.first : segment.last;
    const Clock& last = segment.last.within_ns >= 0 ? segment.last : segment.first;
    const long long time = static_cast<long long>(device_ns) - first.offset_ns;
    if (last.host_ns == first.host_ns)
        return time;
    const double drift =
        static_cast<double>(last.offset_ns - first.offset_ns) / static_cast<double>(last.host_ns - first.host_ns);
    return time - static_cast<long long>(drift * static_cast<double>(time - first.host_ns));
}

NESTBED_COMMON void print_cell(FILE* out, const char* text)
{
    fputc('"', out);
    for (; *text != 0; ++text) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputs("\",", out);
}

NESTBED_COMMON void print_shape(FILE* out, const unsigned* shape)
{
    if (shape[0] != 0 && shape[2] != 1)
        fprintf(out, "%ux%ux%u,", shape[0], shape[1], shape[2]);
    else if (shape[0] != 0 && shape[1] != 1)
        fprintf(out, "%ux%u,", shape[0], shape[1]);
    else if (shape[0] != 0)
        fprintf(out, "%u,", shape[0]);
    else
        fputc(',', out);
}

// The rest of a row, after the stream.
NESTBED_COMMON void print_times(FILE* out, const Segment& segment, long long called_ns, unsigned number,
                                unsigned ends, int error)
{
    const unsigned long long end_ns = end_of(segment, number, ends);
    const Stamp& stamp = segment.copy->stamp(number);
    fputc(',', out);
    if (called_ns != 0)
        fprintf(out, "%lld", called_ns);
    fputc(',', out);
    if (stamp.not_begun_ns != 0)
        fprintf(out, "%lld", host_time(segment, ~stamp.not_begun_ns));
    fputc(',', out);
    if (end_ns != 0)
        fprintf(out, "%lld", host_time(segment, end_ns));
    fprintf(out, ",%s\n", nestbed_count::error_name(error));
}

NESTBED_COMMON unsigned recorded(const Segment& segment)
{
    return static_cast<unsigned>(segment.copy->grids < segment.copy->capacity ? segment.copy->grids
                                                                              : segment.copy->capacity);
}

NESTBED_COMMON unsigned recorded_hosts(const Segment& segment)
{
    return static_cast<unsigned>(segment.hosts_claimed < segment.copy->capacity ? segment.hosts_claimed
                                                                                : segment.copy->capacity);
}

NESTBED_COMMON void print_hosts(FILE* out, const Segment& segment, unsigned long long id)
{
    const unsigned count = recorded_hosts(segment);
    for (unsigned i = 0; i < count; ++i) {
        const HostGrid& grid = segment.hosts[i];
        fprintf(out, "%llu,,0,%d,", id + i, segment.device);
        print_cell(out, grid.site == nullptr ? "" : grid.site->name);
        print_cell(out, grid.site == nullptr ? "" : nestbed_count::short_place(grid.site->place));
        print_shape(out, grid.grid);
        print_shape(out, grid.block);
        fprintf(out, "host:%llx", grid.stream);
        print_times(out, segment, grid.called_ns, static_cast<unsigned>(segment.copy->capacity) + i, grid.ends,
                    grid.error);
    }
}

NESTBED_COMMON void print_lines(FILE* out, const Segment& segment, unsigned long long hosts_id, unsigned long long id)
{
    const unsigned count = recorded(segment);
    for (unsigned i = 0; i < count; ++i) {
        const Line& line = segment.copy->line(i);
        fprintf(out, "%llu,", id + i);
        if (line.parent >= segment.copy->capacity && line.parent != kNoGrid)
            fprintf(out, "%llu", hosts_id + (line.parent - segment.copy->capacity));
        else if (line.parent < i)
            fprintf(out, "%llu", id + line.parent);
        fprintf(out, ",%u,%d,", line.level, segment.device);
        const Site* site = state().sites[line.site % nestbed_count::kBuckets];
        while (site != nullptr && site->site != line.site)
            site = site->next;
        print_cell(out, site == nullptr ? "(unknown)" : site->kernel);
        print_cell(out, site == nullptr ? "" : nestbed_count::short_place(site->place));
        print_shape(out, line.grid);
        print_shape(out, line.block);
        fputs(line.stream == 0   ? "null"
              : line.stream == 3 ? "tail"
              : line.stream == 4 ? "fire_and_forget"
                                 : "named",
              out);
        // 0: the device was lost while the record was written.
        print_times(out, segment, line.called_ns == 0 ? 0 : host_time(segment, line.called_ns), i, line.ends,
                    line.error);
    }
}

// Hosts' grids come first, so that parents come before their children.
NESTBED_COMMON void print_rows(FILE* out)
{
    fputs("#nestbed-trace,1\n", out);
    unsigned long long id = 0;
    for (const Segment* segment = state().segments; segment != nullptr; segment = segment->next) {
        if (segment->copy == nullptr)
            continue;
        const unsigned long long grids = segment->copy->grids, hosts = segment->hosts_claimed;
        const bool compared = segment->first.within_ns >= 0 || segment->last.within_ns >= 0;
        const long long within =
            segment->first.within_ns > segment->last.within_ns ? segment->first.within_ns : segment->last.within_ns;
        fprintf(out, "#device,%d,%llu,%lld,%llu,%llu,%llu,", segment->device, segment->step_ns,
                compared ? within : -1LL, grids - recorded(*segment), hosts - recorded_hosts(*segment),
                segment->copy->capacity);
        fprintf(out, "%s\n", segment->name);
    }
    fputs("id,parent,depth,device,kernel,place,grid,block,stream,called_ns,begun_ns,ended_ns,error\n", out);
    for (const Segment* segment = state().segments; segment != nullptr; segment = segment->next) {
        if (segment->copy == nullptr)
            continue;
        print_hosts(out, *segment, id);
        print_lines(out, *segment, id, id + recorded_hosts(*segment));
        id += recorded_hosts(*segment) + recorded(*segment);
    }
}

// Appends a word to a command for the shell. False: it does not fit.
NESTBED_COMMON bool append_quoted(char* command, size_t bytes, const char* word)
{
    size_t at = strlen(command);
    const auto add = [&](const char* text) {
        const size_t length = strlen(text);
        if (at + length >= bytes)
            return false;
        memcpy(command + at, text, length + 1);
        at += length;
        return true;
    };
    bool fits = add("'");
    for (; *word != 0; ++word) {
        const char one[2] = {*word, 0};
        fits = fits && add(*word == '\'' ? "'\\''" : one);
    }
    return fits && add("' ");
}

// The nestbed beside the folder of this file: from where the build took it. Otherwise that of the PATH.
NESTBED_COMMON void reader_path(char* to, size_t bytes)
{
    static const char kHere[] = __FILE__; // FOLDER/program/count/trace_write.cuh
    strncpy(to, kHere, bytes - 1);
    to[bytes - 1] = 0;
    for (int up = 0; up < 3; ++up)
        if (char* const slash = strrchr(to, '/'))
            *slash = 0;
    const size_t at = strlen(to);
    for (const char* name : {"/nestbed", "/../../bin/nestbed"}) {
        if (at + strlen(name) + 1 > bytes)
            continue;
        strcpy(to + at, name);
        if (nestbed_access(to, 1) == 0)
            return;
    }
    strcpy(to, "nestbed");
}

// Writes $NESTBED_TRACE, by default nestbed-trace.json. A name that ends in .csv: the rows themselves.
NESTBED_COMMON void write_trace()
{
    const char* name = getenv("NESTBED_TRACE");
    if (name == nullptr || *name == 0)
        name = "nestbed-trace.json";
    if (state().segments == nullptr)
        return; // the table says that no kernel ran
    if (state().captured != 0)
        nestbed_count::print_folded(
            stderr, false,
            "nestbed: %llu launches of the host went into graphs: the runs of a graph are not in "
            "the timeline, the grids that its kernels launch are",
            state().captured);
    char path[4096], rows[4096 + 4], command[4 * 4096] = "", reader[4096];
    bool fits = nestbed_count::report_path(name, path, sizeof(path));
    strcpy(rows, fits ? path : "");
    const size_t length = strlen(rows);
    const bool only_rows = length >= 4 && strcmp(rows + length - 4, ".csv") == 0;
    if (!only_rows)
        strcat(rows, ".csv");
    FILE* const file = fits ? fopen(rows, "w") : nullptr;
    if (file == nullptr) {
        fprintf(stderr, "nestbed: NESTBED_TRACE=%s could not be written\n", name);
        return;
    }
    {
        const Lock lock;
        print_rows(file);
    }
    const bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written) {
        fprintf(stderr, "nestbed: %s could not be written completely\n", rows);
        return;
    }
    reader_path(reader, sizeof(reader));
    fits = append_quoted(command, sizeof(command), reader) && strcat(command, "trace --from ") != nullptr &&
           append_quoted(command, sizeof(command), rows);
    if (!only_rows)
        fits = fits && strcat(command, "--overwrite -o ") != nullptr && append_quoted(command, sizeof(command), path);
    fits = fits && strlen(command) + 8 < sizeof(command) && strcat(command, "1>&2") != nullptr;
    if (!fits || system(command) != 0)
        fprintf(stderr, "nestbed: the trace is in %s; to read it: nestbed trace --from %s\n", rows, rows);
    else if (!only_rows)
        remove(rows);
}

} // namespace nestbed_trace
