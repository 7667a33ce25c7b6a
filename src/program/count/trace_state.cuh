// What a traced program records of its grids: in device memory by the kernels, in host memory by the host's launches.
// The host copies the first to the second whenever it reads the counts.
#pragma once
#pragma GCC system_header
#include "count_report.cuh"

namespace nestbed_trace
{

using nestbed_count::Lock;
using nestbed_count::now_ns;

constexpr unsigned kNoGrid = 0xFFFFFFFFu;
constexpr unsigned kDefaultGrids = 1u << 20;
constexpr unsigned kMaxGrids = 1u << 26;

// A grid that a kernel launched. Its launcher writes it.
struct Line {
    unsigned long long called_ns;
    unsigned parent; // number of its launcher
    unsigned level;
    unsigned site;
    unsigned grid[3], block[3]; // all 0: the launch has another form than <<<grid, block>>>
    unsigned stream;            // 0: the block's NULL stream; 3, 4: as CUDA has it; otherwise a named stream
    int error;
};

// Of any grid. Its blocks write it. All bits of a fresh one are 0, so the begin is stored as its complement: both are maxima.
struct Stamp {
    unsigned long long not_begun_ns;
    unsigned long long ended_ns;
};

// The head of the memory of a device. After it are the lines of grids that kernels launched, by number; before it are the
// stamps, from the last one on: so the address of both follows from that of the head, without a load. The grids that the
// host launches have numbers from the capacity on. There is no wrapping around: a running grid may still write its stamps,
// and its children name it.
struct Trace {
    unsigned long long grids; // that kernels have launched; those past the capacity have no record
    unsigned long long capacity;

    NESTBED_ON_BOTH Stamp& stamp(unsigned number) { return reinterpret_cast<Stamp*>(this)[-1LL - number]; }
    NESTBED_ON_BOTH Line& line(unsigned number) { return reinterpret_cast<Line*>(this + 1)[number]; }

    static unsigned long long bytes_of_stamps(unsigned long long capacity) { return 2 * capacity * sizeof(Stamp); }
};

// The hidden parameter of kernels.
struct Level {
    Trace* trace;  // null: nothing is recorded
    unsigned grid; // its own number; kNoGrid: it has no record
    unsigned level;
};

// A grid that the host launched.
struct HostGrid {
    long long called_ns; // 0: not launched yet
    const nestbed_count::Site* site;
    unsigned grid[3], block[3];
    unsigned long long stream; // 0: the default stream
    int error;
};

// A comparison of the clocks of the device and of the host.
struct Clock {
    long long host_ns;
    long long offset_ns; // of the device
    long long within_ns; // error at most; negative: not measured
};

// What the host and a kernel write to each other for it.
struct Mail {
    volatile unsigned asked, answered;
    volatile unsigned long long time_ns, step_ns;
};

// A device from its first launch to its reset.
struct Segment {
    Segment* next;
    int device;
    char name[256];
    Trace* trace;    // on the device; null: there is no memory for it
    bool ended;      // by a reset
    Trace* copy;     // as it was last read
    unsigned read;   // grids before it are read for good
    HostGrid* hosts; // as many as the capacity
    unsigned long long hosts_claimed;
    Clock first, last;
    unsigned long long step_ns;
};

// What the files with kernels share: they differ only in `clock`, which launches the kernel that answers on a stream.
struct Hooks {
    nestbed_count::TraceHooks of_count;
    cudaError_t (*clock)(Mail*, cudaStream_t);
};

// The texts of a launch site in device code.
struct Site {
    Site* next;
    unsigned site;
    char kernel[nestbed_count::kNameBytes];
    char place[nestbed_count::kPlaceBytes];
};

struct State {
    Segment* segments; // the newest first
    Segment* current[nestbed_count::kDevices];
    Site* sites[nestbed_count::kBuckets];
    bool wrong_capacity_is_said;
};

NESTBED_COMMON State& state()
{
    static State the_state;
    return the_state;
}

NESTBED_COMMON unsigned capacity()
{
    const char* const text = getenv("NESTBED_TRACE_GRIDS");
    if (text == nullptr || *text == 0)
        return kDefaultGrids;
    char* end = nullptr;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == 0 && number >= 1 && number <= kMaxGrids)
        return static_cast<unsigned>(number);
    if (!state().wrong_capacity_is_said)
        fprintf(stderr, "nestbed: NESTBED_TRACE_GRIDS=%s is not used; allowed: 1 to %u\n", text, kMaxGrids);
    state().wrong_capacity_is_said = true;
    return kDefaultGrids;
}

// Asks the device for its time, and takes the answer that came soonest. The kernel gives up after a while.
NESTBED_COMMON Clock ask_for_time(Mail& mail)
{
    constexpr unsigned kRounds = 32;
    constexpr long long kPatience_ns = 3000000000LL;
    Clock best = {0, 0, -1};
    for (unsigned round = 1; round <= kRounds; ++round) {
        const long long before = now_ns();
        mail.asked = round;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        while (mail.answered != round)
            if (now_ns() - before > kPatience_ns)
                return best;
        const long long after = now_ns();
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        const long long middle = before + (after - before) / 2;
        if (best.within_ns < 0 || (after - before + 1) / 2 < best.within_ns)
            best = Clock{middle, static_cast<long long>(mail.time_ns) - middle, (after - before + 1) / 2};
    }
    return best;
}

// Of the current device. With the lock held.
NESTBED_COMMON Clock compare_clocks(const Hooks& hooks, unsigned long long& step_ns)
{
    Clock clock = {0, 0, -1};
    Mail* mail = nullptr;
    Mail* on_device = nullptr;
    cudaStream_t stream = nullptr;
    if (cudaHostAlloc(reinterpret_cast<void**>(&mail), sizeof(Mail), cudaHostAllocMapped) == cudaSuccess) {
        memset(static_cast<void*>(mail), 0, sizeof(Mail));
        if (cudaHostGetDevicePointer(reinterpret_cast<void**>(&on_device), mail, 0) == cudaSuccess &&
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
            if (hooks.clock(on_device, stream) == cudaSuccess) {
                clock = ask_for_time(*mail);
                if (cudaStreamSynchronize(stream) == cudaSuccess && mail->step_ns != 0)
                    step_ns = mail->step_ns;
            }
            cudaStreamDestroy(stream);
        }
        cudaFreeHost(mail);
    }
    return clock;
}

// The memory for a device. With the lock held; what goes wrong leaves no error pending.
NESTBED_COMMON Segment* begin_segment(int device, const Hooks& hooks)
{
    const unsigned long long grids = capacity();
    const unsigned long long bytes = Trace::bytes_of_stamps(grids) + sizeof(Trace) + grids * sizeof(Line);
    Segment* const segment = static_cast<Segment*>(nestbed_count::zeroed(sizeof(Segment)));
    segment->device = device;
    segment->first.within_ns = segment->last.within_ns = -1;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
        nestbed_count::copy_host_text(segment->name, properties.name, sizeof(segment->name));
    char* memory = nullptr;
    Trace head = {0, grids};
    if (cudaMalloc(reinterpret_cast<void**>(&memory), bytes) == cudaSuccess) {
        Trace* const trace = reinterpret_cast<Trace*>(memory + Trace::bytes_of_stamps(grids));
        if (cudaMemset(memory, 0, bytes) == cudaSuccess &&
            cudaMemcpy(trace, &head, sizeof(head), cudaMemcpyHostToDevice) == cudaSuccess &&
            cudaDeviceSynchronize() == cudaSuccess) {
            segment->trace = trace;
            segment->first = compare_clocks(hooks, segment->step_ns);
            // Pages of it take memory only when they are written.
            char* const copy = static_cast<char*>(nestbed_count::zeroed(bytes));
            segment->copy = reinterpret_cast<Trace*>(copy + Trace::bytes_of_stamps(grids));
            segment->copy->capacity = grids;
            segment->hosts = static_cast<HostGrid*>(nestbed_count::zeroed(grids * sizeof(HostGrid)));
        } else {
            cudaFree(memory);
        }
    }
    if (segment->trace == nullptr)
        nestbed_count::print_folded(stderr, false,
                                    "nestbed: device %d has no %llu MiB of memory for the trace: nothing is recorded "
                                    "of it. Set NESTBED_TRACE_GRIDS to less than %llu",
                                    device, (bytes >> 20) + 1, grids);
    cudaGetLastError();
    segment->next = state().segments;
    state().segments = segment;
    return segment;
}

NESTBED_COMMON void end_segment(int device)
{
    if (state().current[device] != nullptr)
        state().current[device]->ended = true;
    __atomic_store_n(&state().current[device], static_cast<Segment*>(nullptr), __ATOMIC_RELEASE);
}

// Whether the memory is still there: code that the rewriter does not see may have reset the device.
NESTBED_COMMON bool is_there(const Segment& segment)
{
    cudaPointerAttributes attributes;
    const bool there = cudaPointerGetAttributes(&attributes, segment.trace) == cudaSuccess &&
                       attributes.type == cudaMemoryTypeDevice;
    if (!there)
        cudaGetLastError();
    return there;
}

// Of the current device; null: there is none.
NESTBED_COMMON Segment* current_segment(const Hooks& hooks)
{
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= nestbed_count::kDevices) {
        cudaGetLastError();
        return nullptr;
    }
    Segment* segment = __atomic_load_n(&state().current[device], __ATOMIC_ACQUIRE);
    if (segment != nullptr && (segment->trace == nullptr || is_there(*segment)))
        return segment;
    const Lock lock;
    if (state().current[device] == segment) {
        end_segment(device);
        __atomic_store_n(&state().current[device], begin_segment(device, hooks), __ATOMIC_RELEASE);
    }
    return state().current[device];
}

// A call of the host: `host` is its record, if there is room for one.
NESTBED_COMMON Level call_from_host(const Hooks& hooks, unsigned site, const char* kernel, const char* place,
                                    HostGrid*& host)
{
    Level child = {nullptr, kNoGrid, 0};
    Segment* const segment = current_segment(hooks);
    if (segment == nullptr || segment->trace == nullptr)
        return child;
    const unsigned long long number = __atomic_fetch_add(&segment->hosts_claimed, 1ULL, __ATOMIC_RELAXED);
    child.trace = segment->trace;
    if (number >= segment->copy->capacity)
        return child;
    child.grid = static_cast<unsigned>(segment->copy->capacity + number);
    host = segment->hosts + number;
    host->site = &nestbed_count::site_of(site, kernel, place);
    host->called_ns = now_ns();
    return child;
}

// ---- reading, with the lock held and after the device was waited for ----

NESTBED_COMMON bool copy_stamps(const Segment& segment, unsigned begin, unsigned end)
{
    return end == begin ||
           cudaMemcpy(&segment.copy->stamp(end - 1), reinterpret_cast<char*>(segment.trace) - end * sizeof(Stamp),
                      (end - begin) * sizeof(Stamp), cudaMemcpyDeviceToHost) == cudaSuccess;
}

NESTBED_COMMON void note_sites(int device)
{
    for (const nestbed_count::Unit* unit = nestbed_count::state().units; unit != nullptr; unit = unit->next)
        for (unsigned i = 0; unit->last[device] != nullptr && i <= nestbed_count::kRows; ++i) {
            const nestbed_count::Row& row = unit->last[device][i];
            Site** at = &state().sites[row.site % nestbed_count::kBuckets];
            while (*at != nullptr && (*at)->site != row.site)
                at = &(*at)->next;
            if (row.calls == 0 || *at != nullptr)
                continue;
            *at = static_cast<Site*>(nestbed_count::zeroed(sizeof(Site)));
            (*at)->site = row.site;
            memcpy((*at)->kernel, row.kernel, sizeof(row.kernel));
            memcpy((*at)->place, row.place, sizeof(row.place));
        }
}

// A device that another thread launches on may have grids that have not ended: they are read again.
NESTBED_COMMON void read_trace(int device, bool last, const Hooks& hooks)
{
    Segment* const segment = state().current[device];
    note_sites(device);
    if (segment == nullptr || segment->trace == nullptr || !is_there(*segment))
        return;
    Trace head;
    if (cudaMemcpy(&head, segment->trace, sizeof(head), cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    const unsigned capacity = static_cast<unsigned>(head.capacity);
    const unsigned end = head.grids < capacity ? static_cast<unsigned>(head.grids) : capacity;
    const unsigned long long claimed = __atomic_load_n(&segment->hosts_claimed, __ATOMIC_RELAXED);
    const unsigned hosts = claimed < capacity ? static_cast<unsigned>(claimed) : capacity;
    const unsigned begin = segment->read;
    if (begin != end && cudaMemcpy(&segment->copy->line(begin), reinterpret_cast<Line*>(segment->trace + 1) + begin,
                                   (end - begin) * sizeof(Line), cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    if (!copy_stamps(*segment, begin, end) || !copy_stamps(*segment, capacity, capacity + hosts))
        return;
    segment->copy->grids = head.grids;
    while (segment->read < end &&
           (segment->copy->stamp(segment->read).ended_ns != 0 || segment->copy->line(segment->read).error != 0))
        ++segment->read;
    if (!last)
        return; // the kernel that answers would have to wait for those of other threads
    const Clock clock = compare_clocks(hooks, segment->step_ns);
    if (clock.within_ns >= 0)
        segment->last = clock;
}

} // namespace nestbed_trace
