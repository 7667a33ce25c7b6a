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
    unsigned ends; // number of its ends + 1; 0: it has none
};

// Of any grid. Its blocks write it. All bits of a fresh one are 0, so the begin is stored as its complement: both are maxima.
struct Stamp {
    unsigned long long not_begun_ns;
    unsigned long long ended_ns;
};

// A GPU does atomic operations on one address one after another, and a grid of many short blocks has so many ends that its
// blocks would wait for each other. So their ends are spread over 16 cache lines, by multiprocessor. 16 such grids share
// the lines.
struct Ends {
    static constexpr unsigned kLines = 16, kGrids = 16;
    unsigned long long of[kLines][kGrids];
};

// The head of the memory of a device. After it are the lines of grids that kernels launched, by number, and the ends of
// grids of many blocks; before it are the stamps, from the last one on: so the address of both follows from that of the
// head, without a load. The grids that the host launches have numbers from the capacity on. There is no wrapping around: a
// running grid may still write its stamps, and its children name it.
struct Trace {
    unsigned long long grids; // that kernels have launched; those past the capacity have no record
    unsigned long long capacity;
    unsigned long long
        many; // grids of many blocks that kernels have launched; those past many_capacity() have no ends
    unsigned long long unused;

    NESTBED_ON_BOTH Stamp& stamp(unsigned number) { return reinterpret_cast<Stamp*>(this)[-1LL - number]; }
    NESTBED_ON_BOTH Line& line(unsigned number) { return reinterpret_cast<Line*>(this + 1)[number]; }
    // Those of the host's grids come after those of the kernels'.
    NESTBED_ON_BOTH unsigned long long* ends(unsigned number)
    {
        Ends* const ends = reinterpret_cast<Ends*>(reinterpret_cast<Line*>(this + 1) + capacity);
        return &ends[number / Ends::kGrids].of[0][number % Ends::kGrids];
    }
    NESTBED_ON_BOTH unsigned many_capacity() const { return many_capacity(capacity); }

    static NESTBED_ON_BOTH unsigned many_capacity(unsigned long long capacity)
    {
        return static_cast<unsigned>(capacity / 256 * Ends::kGrids);
    }
    static unsigned long long bytes_of_stamps(unsigned long long capacity) { return 2 * capacity * sizeof(Stamp); }
    static unsigned long long bytes(unsigned long long capacity)
    {
        return bytes_of_stamps(capacity) + sizeof(Trace) + capacity * sizeof(Line) +
               2 * many_capacity(capacity) / Ends::kGrids * sizeof(Ends);
    }
};

static inline NESTBED_ON_BOTH bool is_many(const unsigned* grid)
{
    return static_cast<unsigned long long>(grid[0]) * grid[1] * grid[2] >= 4096;
}

// The hidden parameter of kernels.
struct Level {
    Trace* trace;  // null: nothing is recorded
    unsigned grid; // its own number; kNoGrid: it has no record
    unsigned level;
    unsigned long long* ends; // null: it has none
};

// A grid that the host launched.
struct HostGrid {
    long long called_ns; // 0: not launched yet
    const nestbed_count::Site* site;
    unsigned grid[3], block[3];
    unsigned long long stream; // 0: the default stream
    int error;
    unsigned ends; // as in Line
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
    unsigned long long context; // 0: its number is not known
    char name[256];
    Trace* trace;    // on the device; null: there is no memory for it
    bool ended;      // by a reset
    Trace* copy;     // as it was last read
    unsigned read;   // grids before it are read for good
    HostGrid* hosts; // as many as the capacity
    unsigned long long hosts_claimed;
    unsigned long long hosts_many; // grids of many blocks
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
    unsigned long long captured; // launches into graphs
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

// The number of the calling thread's context, which no other context of the process has, not even that of the same device
// after a reset. 0: it is not known.
NESTBED_COMMON unsigned long long context_number()
{
    unsigned long long number = 0;
#if CUDART_VERSION >= 12050
    typedef int (*Current)(void**);
    typedef int (*Number)(void*, unsigned long long*);
    struct Functions {
        Current current = nullptr;
        Number number = nullptr;
        Functions()
        {
            cudaDriverEntryPointQueryResult found;
            cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", reinterpret_cast<void**>(&current), 12000,
                                             cudaEnableDefault, &found);
            cudaGetDriverEntryPointByVersion("cuCtxGetId", reinterpret_cast<void**>(&number), 12000,
                                             cudaEnableDefault, &found);
        }
    };
    static const Functions functions;
    void* context = nullptr;
    if (functions.current != nullptr && functions.number != nullptr && functions.current(&context) == 0 &&
        context != nullptr && functions.number(context, &number) != 0)
        return 0;
#endif
    return number;
}

// While it lives, the thread may call what a capture of a stream of its forbids.
class BesideCaptures
{
  public:
    BesideCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~BesideCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    BesideCaptures(const BesideCaptures&) = delete;
    BesideCaptures& operator=(const BesideCaptures&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// Fills fresh memory of the current device: zeros, and the head.
NESTBED_COMMON bool prepare(char* memory, unsigned long long bytes, unsigned long long grids)
{
    const Trace head = {0, grids, 0, 0};
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return false;
    const bool filled = cudaMemsetAsync(memory, 0, bytes, stream) == cudaSuccess &&
                        cudaMemcpyAsync(memory + Trace::bytes_of_stamps(grids), &head, sizeof(head),
                                        cudaMemcpyHostToDevice, stream) == cudaSuccess;
    const bool done = cudaStreamSynchronize(stream) == cudaSuccess;
    cudaStreamDestroy(stream);
    return filled && done;
}

// The memory for a device. With the lock held; what goes wrong leaves no error pending.
NESTBED_COMMON Segment* begin_segment(int device, const Hooks& hooks)
{
    const BesideCaptures beside;
    const unsigned long long grids = capacity();
    const unsigned long long bytes = Trace::bytes(grids);
    Segment* const segment = static_cast<Segment*>(nestbed_count::zeroed(sizeof(Segment)));
    segment->device = device;
    segment->first.within_ns = segment->last.within_ns = -1;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
        nestbed_count::copy_host_text(segment->name, properties.name, sizeof(segment->name));
    char* memory = nullptr;
    if (cudaMalloc(reinterpret_cast<void**>(&memory), bytes) == cudaSuccess) {
        if (prepare(memory, bytes, grids)) {
            segment->trace = reinterpret_cast<Trace*>(memory + Trace::bytes_of_stamps(grids));
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
    segment->context = context_number();
    segment->next = state().segments;
    __atomic_store_n(&state().segments, segment, __ATOMIC_RELEASE);
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
    if (const unsigned long long context = context_number())
        for (Segment* one = __atomic_load_n(&state().segments, __ATOMIC_ACQUIRE); one != nullptr; one = one->next)
            if (one->context == context && !one->ended)
                return one;
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

// A call of the host of a kernel that a graph will run, any number of times: it has no record.
NESTBED_COMMON Level call_of_graph(const Hooks& hooks)
{
    __atomic_fetch_add(&state().captured, 1ULL, __ATOMIC_RELAXED);
    const Segment* const segment = current_segment(hooks);
    return Level{segment == nullptr ? nullptr : segment->trace, kNoGrid, 0, nullptr};
}

// A call of the host with what is known of it; `host`: its record, null if there is no room.
NESTBED_COMMON Level call_from_host(const Hooks& hooks, const HostGrid& call, HostGrid*& host)
{
    Level child = {nullptr, kNoGrid, 0, nullptr};
    Segment* const segment = current_segment(hooks);
    if (segment == nullptr || segment->trace == nullptr)
        return child;
    const unsigned long long number = __atomic_fetch_add(&segment->hosts_claimed, 1ULL, __ATOMIC_RELAXED);
    child.trace = segment->trace;
    if (number >= segment->copy->capacity)
        return child;
    child.grid = static_cast<unsigned>(segment->copy->capacity + number);
    host = segment->hosts + number;
    *host = call;
    const unsigned many = segment->copy->many_capacity();
    if (is_many(call.grid) && __atomic_load_n(&segment->hosts_many, __ATOMIC_RELAXED) < many) {
        const unsigned long long ends = __atomic_fetch_add(&segment->hosts_many, 1ULL, __ATOMIC_RELAXED);
        if (ends < many) {
            host->ends = static_cast<unsigned>(many + ends + 1);
            child.ends =
                reinterpret_cast<unsigned long long*>(reinterpret_cast<char*>(segment->trace) +
                                                      (reinterpret_cast<char*>(segment->copy->ends(host->ends - 1)) -
                                                       reinterpret_cast<char*>(segment->copy)));
        }
    }
    host->called_ns = now_ns();
    return child;
}

// ---- reading, with the lock held and after the device was waited for ----

// Copies a part of the memory of the device to the same part of the copy.
NESTBED_COMMON bool copy_part(const Segment& segment, const void* begin, const void* end)
{
    const long long at = static_cast<const char*>(begin) - reinterpret_cast<const char*>(segment.copy);
    const long long bytes = static_cast<const char*>(end) - static_cast<const char*>(begin);
    return bytes <= 0 ||
           cudaMemcpy(reinterpret_cast<char*>(segment.copy) + at, reinterpret_cast<const char*>(segment.trace) + at,
                      static_cast<size_t>(bytes), cudaMemcpyDeviceToHost) == cudaSuccess;
}

NESTBED_COMMON bool copy_stamps(const Segment& segment, unsigned begin, unsigned end)
{
    return end == begin || copy_part(segment, &segment.copy->stamp(end - 1), &segment.copy->stamp(begin) + 1);
}

// Of the first `count` grids from a number on.
NESTBED_COMMON bool copy_ends(const Segment& segment, unsigned first, unsigned long long count)
{
    const unsigned many = segment.copy->many_capacity();
    const unsigned groups = static_cast<unsigned>((count < many ? count + Ends::kGrids - 1 : many) / Ends::kGrids);
    const unsigned long long* const begin = segment.copy->ends(first);
    return copy_part(segment, begin, reinterpret_cast<const Ends*>(begin) + groups);
}

// When the last block of a grid ended; 0: none did. `ends`: as in Line.
NESTBED_COMMON unsigned long long end_of(const Segment& segment, unsigned number, unsigned ends)
{
    unsigned long long end = segment.copy->stamp(number).ended_ns;
    for (unsigned line = 0; ends != 0 && line < Ends::kLines; ++line) {
        const unsigned long long one = segment.copy->ends(ends - 1)[line * Ends::kGrids];
        end = one > end ? one : end;
    }
    return end;
}

NESTBED_COMMON void note_sites(int device)
{
    for (const nestbed_count::Unit* unit = nestbed_count::state().units; unit != nullptr; unit = unit->next)
        for (unsigned i = 0; unit->last[device] != nullptr && i <= nestbed_count::kRows; ++i) {
            const nestbed_count::Row& row = unit->last[device]->rows[i];
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

// Grids that other threads launch may still run. Those that the last reading found have ended since: the device was waited
// for. The others are read again.
NESTBED_COMMON void read_trace(int device, bool last, const Hooks& hooks)
{
    Segment* const segment = state().current[device];
    note_sites(device);
    if (segment == nullptr || segment->trace == nullptr || !is_there(*segment))
        return;
    Trace& head = *segment->copy;
    const unsigned capacity = static_cast<unsigned>(head.capacity);
    const unsigned begin = head.grids < capacity ? static_cast<unsigned>(head.grids) : capacity;
    Trace now;
    if (cudaMemcpy(&now, segment->trace, sizeof(now), cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    const unsigned end = now.grids < capacity ? static_cast<unsigned>(now.grids) : capacity;
    const unsigned long long claimed = __atomic_load_n(&segment->hosts_claimed, __ATOMIC_RELAXED);
    const unsigned hosts = claimed < capacity ? static_cast<unsigned>(claimed) : capacity;
    if (!copy_part(*segment, &head.line(segment->read), &head.line(end)) ||
        !copy_stamps(*segment, segment->read, end) || !copy_stamps(*segment, capacity, capacity + hosts) ||
        !copy_ends(*segment, 0, now.many) ||
        !copy_ends(*segment, head.many_capacity(), __atomic_load_n(&segment->hosts_many, __ATOMIC_RELAXED)))
        return;
    segment->read = begin;
    head.grids = now.grids;
    if (!last)
        return; // the kernel that answers would have to wait for those of other threads
    const Clock clock = compare_clocks(hooks, segment->step_ns);
    if (clock.within_ns >= 0)
        segment->last = clock;
}

} // namespace nestbed_trace
