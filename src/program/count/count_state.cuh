// What a counted program knows of its launches, once per process: kernels, launch sites of the host, translation units
// with their tables on the devices.
#pragma once
#pragma GCC system_header
#include "launch_table.hpp"
#include <cuda_runtime.h>
#include <stdlib.h>
#include <time.h>

// unistd.h and sched.h would add names to the program.
extern "C" int nestbed_process_id(void) __asm__("getpid");
extern "C" int nestbed_yield(void) __asm__("sched_yield");

namespace nestbed_count
{

constexpr unsigned kRows = 128; // launch sites of a translation unit
constexpr unsigned kNameBytes = 160;
constexpr unsigned kPlaceBytes = 96;
constexpr int kDevices = 256;
constexpr unsigned kBuckets = 1024;
constexpr unsigned kGraphCounts = 256; // of a translation unit: see Table

// The levels of kernels: 0 for those that the host launches. From kUnknownLevel on: not known.
constexpr unsigned kUnknownLevel = 0x80000000u;
// Of a kernel of a graph, which counts itself when it runs, at this index of its translation unit. Its level is 0.
constexpr unsigned kOfGraph = 0x40000000u;

// The hidden first parameter of each kernel, by whose type a counted kernel is known, or by its size. That is a multiple of alignments up
// to 64, so the parameters of the program are all so many bytes further on. It is not aligned to 16 bytes: of a launch with too much
// dynamic shared memory the device runtime of CUDA 13.0 then stores the arguments at a misaligned address, instead of refusing it.
struct alignas(8) Level {
    __host__ __device__ Level(unsigned level) : value(level) {}
    __host__ __device__ operator unsigned() const { return is_of_graph() ? 0 : value; }
    __host__ __device__ bool is_of_graph() const { return (value & (kUnknownLevel | kOfGraph)) == kOfGraph; }
    unsigned value;
    unsigned unused[15];
};
constexpr long long kReadInterval_ns = 50 * 1000 * 1000;

// A launch site in device code.
struct alignas(8) Row {
    unsigned site;    // 0: free
    unsigned deepest; // kernels read it together with `site`
    unsigned long long calls, refused;
    int first_error;
    unsigned unknown_level;
    char kernel[kNameBytes];
    char place[kPlaceBytes];
};

// What kernels count.
struct Table {
    Row rows[kRows + 1];
    // Launches of graphs by kernels, how many of them were refused, and from 2 on runs of the kernels of graphs.
    unsigned long long graphs[kGraphCounts];
};
constexpr unsigned kFirstGraphKernel = 2;

// A row of the table that is printed.
struct Kernel {
    Kernel* next;
    char name[kNameBytes];
    char place[kPlaceBytes]; // of the first refused launch
    unsigned long long from_host, from_device, in_graphs, refused;
    unsigned deepest;
    unsigned graph_index; // of Table::graphs; 0: no graph has it
    bool unknown_level;
    int first_error;
};

// A launch site in host code.
struct Site {
    Site* next;
    unsigned site;
    const char* name; // of the kernel
    const char* place;
    Kernel* kernel;
};

// A call that launches, or may, and cannot be counted.
struct Uncounted {
    Uncounted* next;
    const char* call;
    const char* place;
};

// A file that launches.
struct File {
    File* next;
    const char* path;
};

struct Unit;

struct State {
    Kernel* kernels; // in the order in which they were first seen
    File* files;
    GraphLaunches graphs;
    unsigned graph_kernels; // how many have an index
    Uncounted* uncounted;   // in the order in which they were first seen
    Site* sites[kBuckets];
    Unit* units;
    bool launched[kDevices]; // since the last reset of the device
    int lost[kDevices];      // error with which a reading failed
    int no_device;           // error of a launch on a machine without a usable device
    bool exit_is_registered; // after CUDA was initialised
    bool reported;
    int process; // that registered; a forked child does not report for it
    long long last_read_ns;
    char lock;
};

NESTBED_COMMON State& state()
{
    static State the_state; // trivial: valid until the very end of the process
    return the_state;
}

class Lock
{
  public:
    Lock()
    {
        while (__atomic_test_and_set(&state().lock, __ATOMIC_ACQUIRE))
            nestbed_yield();
    }
    ~Lock() { __atomic_clear(&state().lock, __ATOMIC_RELEASE); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

// Memory that lives as long as the process. Without memory nothing can be counted.
NESTBED_COMMON void* zeroed(size_t bytes)
{
    void* const memory = calloc(1, bytes);
    if (memory == nullptr) {
        fputs("nestbed: no memory to count launches\n", stderr);
        abort();
    }
    return memory;
}

NESTBED_COMMON void copy_host_text(char* to, const char* from, size_t bytes)
{
    strncpy(to, from, bytes - 1);
    to[bytes - 1] = 0;
}

NESTBED_COMMON const char* kept_text(const char* text)
{
    const size_t bytes = strlen(text) + 1;
    return static_cast<char*>(memcpy(zeroed(bytes), text, bytes)); // its library may be unloaded
}

NESTBED_COMMON long long now_ns()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Of FILE:LINE.
NESTBED_COMMON size_t bytes_of_file(const char* place)
{
    const char* const line = strrchr(place, ':');
    return line == nullptr ? 0 : static_cast<size_t>(line - place);
}

// Call these three with the lock held.
NESTBED_COMMON void note_file(const char* place)
{
    const size_t bytes = bytes_of_file(place);
    for (const File* file = state().files; file != nullptr; file = file->next)
        if (strlen(file->path) == bytes && memcmp(file->path, place, bytes) == 0)
            return;
    File* const fresh = static_cast<File*>(zeroed(sizeof(File)));
    fresh->path = static_cast<char*>(memcpy(zeroed(bytes + 1), place, bytes));
    fresh->next = state().files;
    state().files = fresh;
}

// Once for each place. For a variable of a file: before main().
NESTBED_COMMON bool not_counted(const char* call, const char* place)
{
    const Lock lock;
    Uncounted** end = &state().uncounted;
    for (; *end != nullptr; end = &(*end)->next)
        if (strcmp((*end)->call, call) == 0 && strcmp((*end)->place, place) == 0)
            return true;
    *end = static_cast<Uncounted*>(zeroed(sizeof(Uncounted)));
    (*end)->call = kept_text(call);
    (*end)->place = kept_text(place);
    note_file(place);
    return true;
}

NESTBED_COMMON Kernel& kernel_of(const char* name)
{
    char cut[kNameBytes];
    copy_host_text(cut, name, kNameBytes);
    Kernel** end = &state().kernels;
    for (; *end != nullptr; end = &(*end)->next)
        if (strcmp((*end)->name, cut) == 0)
            return **end;
    *end = static_cast<Kernel*>(zeroed(sizeof(Kernel)));
    memcpy((*end)->name, cut, kNameBytes);
    return **end;
}

NESTBED_COMMON void note_error(Kernel& kernel, int error, const char* place)
{
    if (error == 0 || kernel.first_error != 0)
        return;
    kernel.first_error = error;
    copy_host_text(kernel.place, place, kPlaceBytes);
}

NESTBED_COMMON Site* find_site(Site* from, unsigned site, const char* name)
{
    for (; from != nullptr; from = from->next)
        if (from->site == site && strcmp(from->name, name) == 0)
            return from;
    return nullptr;
}

NESTBED_COMMON Site& site_of(unsigned site, const char* name, const char* place)
{
    Site** const bucket = &state().sites[site % kBuckets];
    if (Site* const found = find_site(__atomic_load_n(bucket, __ATOMIC_ACQUIRE), site, name))
        return *found;
    const Lock lock;
    if (Site* const found = find_site(*bucket, site, name))
        return *found;
    Site* const fresh = static_cast<Site*>(zeroed(sizeof(Site)));
    fresh->site = site;
    fresh->name = kept_text(name);
    fresh->place = kept_text(place);
    fresh->kernel = &kernel_of(name);
    note_file(place);
    fresh->next = *bucket;
    __atomic_store_n(bucket, fresh, __ATOMIC_RELEASE);
    return *fresh;
}

} // namespace nestbed_count
