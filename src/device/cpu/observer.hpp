// What the executor reports to an observer of its runs: launches, barriers, ends, and memory. The program nestbed has
// no observer. In nestbed_races the observer is the race detector (device/races/). A handle is the observer's own
// name for a grid, block or thread. nullptr means that it is not observed; then there are no further reports about
// it.
#pragma once

#include "device/cpu/executor.hpp"
#include "device/cpu/misuse.hpp"
#include "model/races.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace nestbed::cpu
{

// What the host may do with memory of the device.
enum class HostAccess : std::uint8_t {
    unchecked,
    ordered,  // read and write it, after it has waited for the kernels that do
    forbidden // nothing
};

struct Memory {
    const void* begin = nullptr;
    std::size_t bytes = 0;
    std::size_t element = 1; // bytes of an element; 1: elements are not distinguished
    std::string_view name;
    std::string_view place{};    // FILE:LINE of its allocation; empty: not known
    std::size_t guard_bytes = 0; // behind it (and as many before it): an access there is reported as out of bounds
    HostAccess by_host = HostAccess::unchecked;
    bool is_of_host = false;             // an access by a kernel is reported
    bool uninitialized = false;          // a read of what nothing has written is reported
    std::optional<unsigned char> fill{}; // uninitialized only: of what nothing has written, each byte is this one
    bool is_variable = false;            // of the program: an access beyond its end is reported
    bool is_constant = false;            // and so is a write by a kernel
};

// Bytes that an operation of the host accesses: rows that begin `pitch` bytes one after another.
struct Rows {
    const void* begin = nullptr;
    std::size_t width = 0;
    std::size_t height = 1;
    std::size_t pitch = 0;
};

// What was in a stream at one time: the observer's own. nullptr: nothing.
using Captured = std::shared_ptr<void>;

// When a grid that need not wait for the end of one before it may begin: behind what each block of that one has released when it triggers,
// or when all of them have begun. `is_waited_for`: cudaGridDependencySynchronize() waits for that one.
struct Overlap {
    bool is_triggered = true;
    bool is_waited_for = true;
};

// In place of a stream: an operation that comes after nothing but what the host has waited for.
inline constexpr std::uint64_t kNoStream = ~std::uint64_t{0};

class Observer
{
  public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    // Observes what runs from begin() on. end() returns the races; if a memory limit was reached, those that were found until then.
    virtual void begin() = 0;
    virtual Races end() = 0;
    // The same of what `work` runs.
    virtual Races watch(const std::function<void()>& work) = 0;

    // Memory of the device, until it is forgotten. Of the name kOwnRecords: atomics there order nothing.
    virtual void memory(const Memory& memory) = 0;
    virtual void forget(const void* begin) = 0;
    // It has no owner from now on, until it is forgotten: an access there is reported. `place`: the address after the call that freed it.
    virtual void freed(const void* begin, const void* place) = 0;
    // The host, or a copy that is no kernel, has written there: it is no longer uninitialised.
    virtual void host_wrote(const void* begin, std::size_t bytes) = 0;
    // Whether there are threads of the host of which one may not know what another one has waited for.
    virtual bool has_several_hosts() const { return false; }
    // The host has waited for all work; for that of one of its streams; for what an event captured.
    virtual void synchronized() = 0;
    virtual void stream_synchronized(std::uint64_t stream) = 0;
    virtual void event_synchronized(const Captured& captured) = 0;
    // An event of a thread of a kernel, or of the host (nullptr), captures what is in a stream: of the thread's block, or of the host.
    virtual Captured captures(void* thread, std::uint64_t stream) = 0;
    // The host puts something into one of its streams that is no kernel: a copy, a set, memory of a pool, a function. `name`: of CUDA's
    // function; `place`: the address after its call. Returns a handle; nullptr: it is not observed.
    virtual void* operation_begins(std::uint64_t stream, const char* name, const void* place) = 0;
    virtual void operation_accesses(void* operation, const Rows& rows, bool write) = 0;
    // What the host does from here to its end is of the operation, which is a function of the host.
    virtual void operation_runs_on_host(void* operation) = 0;
    virtual void operation_ends(void* operation) = 0;
    // What comes before what the thread of a kernel asks for now and the host puts into a stream later.
    virtual Captured captures_thread(void* thread) = 0;
    // A thread of a kernel, or the host (nullptr), made a stream. `place`: the address after the call. `graph`: it is of a node of the
    // executable graph with this number, which the call added; 0: of none.
    virtual void stream_made(void* thread, std::uint64_t stream, const void* place, std::uint64_t graph) = 0;
    // What is launched into the stream from now on waits for it.
    virtual void stream_waits(void* thread, std::uint64_t stream, const Captured& captured) = 0;
    // What the host launches next into its stream may overlap the last grid that was captured, which need not have ended.
    virtual void stream_overlaps(std::uint64_t stream, const Captured& captured, Overlap overlap) = 0;
    // Nothing comes into the stream any more, and another one waits for what is in it.
    virtual void stream_ends(std::uint64_t stream) = 0;

    // A launch by a thread of a kernel into a stream of its block, or by the host (nullptr) into one of its streams; the
    // latter by host_pdl if the grid need not wait for the one before it in its stream.
    // `place`: the address after the launch call. Stream 0 of a kernel's thread: see launch_into(). `launch`: see KernelCall.
    virtual void* launched(void* thread, Mechanism mechanism, std::uint64_t stream, const void* place,
                           const CallPlace& launch) = 0;
    virtual void starts(void* grid) = 0;
    // The blocks of the grid are done and its launches are complete, without tail launches.
    virtual void done(void* grid) = 0;
    virtual void complete(void* grid) = 0;
    // A fault has ended the run of a grid that the host launched, in the midst of its blocks and those of its descendants.
    virtual void abandoned(void* root) = 0;

    // `cluster`: the number of its cluster in the grid.
    virtual void* block_begins(void* grid, std::uint64_t index, std::uint32_t threads, std::uint64_t cluster) = 0;
    virtual void* thread_of(void* block, std::uint32_t index) = 0;
    // A barrier of the block opens.
    virtual void barrier(void* block) = 0;
    // Of blocks that run together, by a number among those of their grid: a thread arrives at their barrier, after which it has not done
    // what others must know; the barrier opens; a thread has waited for that.
    virtual void arrives_at_group(void* thread, std::uint64_t group) = 0;
    virtual void group_opens(void* grid, std::uint64_t group) = 0;
    virtual void waited_for_group(void* thread, std::uint64_t group) = 0;
    // These threads of a warp have met at a __syncwarp().
    virtual void warp_barrier(std::span<void* const> threads) = 0;
    // The thread uses a barrier or a function of its warp wrongly.
    virtual void misused(void* thread, const Misuse& misuse) = 0;
    // The thread has ended: it meets no barrier any more.
    virtual void thread_ends(void* thread) = 0;
    // The thread has arrived at the next barrier of its block: what it does until the barrier opens is not before it.
    virtual void arrived(void* thread) = 0;
    // The thread has started a copy that goes on beside it. It ends where the thread waits for its group of copies, or with a barrier.
    virtual void copies_beside(void* thread, const void* to, const void* from, std::size_t bytes,
                               const void* place) = 0;
    virtual void commits_copies(void* thread) = 0;
    virtual void waited_for_copies(void* thread, std::size_t prior) = 0;
    // The same of bulk copies, which the asynchronous proxy makes: they end where the thread waits for their group, or with their barrier.
    virtual void bulk_copies(void* thread, const BulkCopy& copy) = 0;
    virtual void commits_bulk_copies(void* thread) = 0;
    virtual void waited_for_bulk_copies(void* thread, std::size_t prior, bool only_reads) = 0;
    virtual void bulk_completes_at(void* thread, const void* at) = 0;
    virtual void fences_async_proxy(void* thread) = 0;
    // A barrier that is an object in memory: it begins or ends; a thread changes it or reads it; a thread, or its copies, arrive; the last
    // one has; a thread has waited.
    virtual void forgets_barrier(const void* at) = 0;
    virtual void uses_barrier(void* thread, const void* at, bool writes, const void* place) = 0;
    virtual void arrives_at(void* thread, const void* at) = 0;
    virtual void copies_arrive_at(void* thread, const void* at) = 0;
    virtual void opens(const void* at) = 0;
    virtual void waited_at(void* thread, const void* at) = 0;
    // The thread has waited for all that its block launched, without tail launches.
    virtual void waited(void* thread) = 0;
    // The thread lets the next grid begin, as the first one of its block.
    virtual void lets_next_grid_begin(void* thread) = 0;
    // The thread has waited for the grid before its own in the stream of the host.
    virtual void waited_for_previous_grid(void* thread) = 0;
    // Its shared memory is that of no block from now on, until it is forgotten.
    virtual void block_ends(void* block) = 0;
    virtual void shared_memory(void* block, const Memory& memory) = 0;
};

extern Observer* observer;

// The unit in which accesses to a type are distinguished, in bytes: the size of a scalar type, else 1.
template <class T>
inline constexpr std::size_t kElement = std::is_scalar_v<T> ? sizeof(T) : 1;

} // namespace nestbed::cpu
