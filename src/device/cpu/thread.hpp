// A CUDA thread on the executor, as code of kernels sees it. C++17, because users' programs include it too
// (src/program/include/): without headers whose names nvcc gives no program.
#pragma once

#include <cstddef>
#include <cstdint>

// CUDA's types uint3 and dim3, for g++.
struct uint3 { // NOLINT(readability-identifier-naming)
    unsigned x, y, z;
};
struct dim3 { // NOLINT(readability-identifier-naming)
    unsigned x, y, z;
    // NOLINTBEGIN(google-explicit-constructor): implicit, as CUDA's are
    constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
    constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
    // NOLINTEND(google-explicit-constructor)
};

namespace nestbed::cpu
{

// What the run-time library of users' programs (src/program/runtime/) keeps of a thread.
struct ProgramThread {
    void* grid = nullptr;          // its record of the thread's grid
    void* latest_grid = nullptr;   // the same, also when the thread has ended
    unsigned refusals = 0;         // of its launches, which it does not know yet
    void* configured = nullptr;    // the launch configuration that the next kernel call takes
    int last_error = 0;            // cudaGetLastError() of the thread
    std::uint32_t spins = 0;       // atomic operations since the thread last gave way
    std::uint32_t clock_reads = 0; // since it last gave way
    std::uint32_t clock_rounds =
        0;                        // how often in a row it gave way after reads of a clock alone: it waits for a time
    std::uint32_t impatience = 0; // of a thread that does nothing but wait: it gives way 2^n times as soon
    const volatile void* waits_for =
        nullptr;        // the last that it read atomically and did not change; nullptr: nothing since it gave way
    bool carry = false; // of inline PTX
    std::uintptr_t stack_begin = 0;
    std::uintptr_t stack_to_check = 0; // a recursion that gets there may be too deep
};

struct ThreadContext {
    uint3 thread_index, block_index;
    dim3 block_dim, grid_dim;
    void* observed = nullptr;    // see observer.hpp
    bool in_block_scope = false; // for the observer: its atomic operations and fences have the scope of the block
    bool has_arguments = false;  // for the observer: it copies or destroys those of a launch
    bool moved =
        false; // since it last stopped, one of its carrier ended, launched, read a clock, or changed an atomic
    std::size_t dynamic_shared_bytes = 0; // of the launch
    std::uint32_t iteration = 0;          // of the loops with barriers in which it is: equal for equal iterations
    std::uint64_t arrived_at[2] = {};     // by BlockGroup: the barrier for which it has to wait; 0: none
    const void* gave_way_at = nullptr;    // where on the stack the return address is
    ProgramThread program{};
};

// A call in the source; file nullptr: it is not known.
struct CallPlace {
    const char* function = nullptr; // its name
    const char* file = nullptr;
    unsigned line = 0;
    unsigned number = 0; // of several barriers in one line
};
// The last parameters of a function: the place of the call in the program, for reports.
#define NESTBED_PLACE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

// The thread that runs; nullptr outside of kernels. __thread: without the call that C++ makes for a thread_local variable.
// It is the program's, for all modules: so it is not inline (each module has its own inline variables).
extern __thread ThreadContext* current_thread;
// The thread that ran last on this operating-system thread: for a signal that comes while the executor chooses the next one.
extern __thread ThreadContext* latest_thread;
inline const ThreadContext* current_or_latest_thread()
{
    return current_thread != nullptr ? current_thread : latest_thread;
}

inline bool in_kernel()
{
    return current_thread != nullptr;
}

// The linear index of the running thread in its block.
inline unsigned linear_thread()
{
    const dim3 index = current_thread->thread_index;
    const dim3 dim = current_thread->block_dim;
    return index.x + dim.x * (index.y + dim.y * index.z);
}

// __syncthreads(): waits for all threads of the block that have not ended. They must all be at the same barrier of the source
// (CUDA guide, "Synchronization Functions"); where they are not, the run ends with a Fault that names both.
void barrier(NESTBED_PLACE, unsigned number = 0);
// __syncthreads_count(): a barrier that returns for how many threads `predicate` holds; `threads`: how many there were.
unsigned barrier_count(bool predicate, unsigned& threads, NESTBED_PLACE, unsigned number = 0);

// Blocks that run together, and that a barrier of theirs has.
enum class BlockGroup : unsigned char {
    grid,   // of a cooperative launch
    cluster // a block of a launch without clusters is one
};
// The barrier of such a group: a thread that has arrived goes on until it waits. Of a grid, all threads of a block must meet at both calls; of
// a cluster, threads that have ended are not waited for (PTX ISA, "barrier.cluster"). `orders`: what
// the thread did before comes before what others do after they have waited.
void arrive_at_group(BlockGroup group, bool orders = true, NESTBED_PLACE);
void wait_for_group(BlockGroup group, NESTBED_PLACE);
bool is_cooperative();
dim3 cluster_dim(); // blocks of the running thread's cluster
// The same variable of the block's shared memory, in the block of this rank in the cluster: returns when that block has begun.
void* shared_of_cluster(const void* address, unsigned rank);
// Shared memory by 32 bits, as PTX and __cvta_generic_to_shared() have it: of the own block, and of another one of the cluster.
unsigned shared_address(const void* memory);
void* memory_of_shared_address(unsigned address);
unsigned mapped_shared_address(unsigned address, unsigned rank);
// The rank of the block of the cluster that has the address in its shared memory; all ones: none has.
unsigned rank_of_shared(const void* address);

// A barrier of a block by its number, 0 to 15, for so many threads (0: all of the block). Returns the parity of its phase.
bool arrive_at_named_barrier(unsigned number, unsigned threads, bool vote = false);
bool has_named_barrier_ended(unsigned number, bool parity);
// How many of the votes of the phase, which has ended, hold; `all`: how many there were.
unsigned votes_at_named_barrier(unsigned number, bool parity, unsigned& all);

// A barrier of a tile of several warps, which are `threads` threads one after another. `orders`: memory, too.
void meet_in_tile(unsigned threads, bool orders);
// What the running thread gives to the others of its tile until it meets them: a place for each thread of the block.
const void** given_in_block();

// For the observer: the thread has arrived at the barrier that it will wait for, and goes on until then.
void arrive();
// A copy that goes on beside the thread until it waits for its copies, as far as the observer knows. Here it is done at once.
// `from` nullptr: zeros.
void copy_beside(void* to, const void* from, std::size_t bytes);
// The copies since the last commit are a group. Waits for all groups but the last `prior`.
void commit_copies();
void wait_for_copies(std::size_t prior);

// A bulk copy, by the asynchronous proxy: its reads and writes come after writes of threads only where a fence of that proxy is between.
// `completes` nullptr: it is of a group of such copies. `reduces`: it changes what is there atomically. The caller copies.
struct BulkCopy {
    void* to;
    const void* from; // nullptr: zeros, or what is known
    std::size_t bytes;
    const void* completes;
    const void* place; // in the program's code
    bool reduces = false;
};
void bulk_copies(const BulkCopy& copy);
// For the observer as above; `only_reads`: waits until the copies have read what they copy.
void commit_bulk_copies();
void wait_for_bulk_copies(std::size_t prior, bool only_reads);
void fence_async_proxy();

// A barrier of any threads that is an object in memory, which its program does not look into: mbarrier of PTX, cuda::barrier. It has
// phases, of parity 0, 1, 0, …; one ends with the last arrival, and when as many bytes have been copied as it expects.
using BarrierObject = std::uint64_t;
inline constexpr unsigned kMaxBarrierCount = (1U << 20U) - 1;
enum class Arrival : unsigned char {
    once,
    drops,     // the next phases wait for so many threads less
    of_copies, // of those that the thread has started: what the thread did is not before the end of the phase
    unordered  // nothing is
};
// What to write into an object for so many arrivals, before barrier_begins().
BarrierObject begun_barrier(unsigned count);
void barrier_begins(const BarrierObject* at);
// Returns the state before. The last arrival calls `completion` before others know of it.
BarrierObject arrive_at(BarrierObject* at, unsigned count = 1, Arrival kind = Arrival::once,
                        void (*completion)(void*) = nullptr, void* data = nullptr);
// The end of the phase comes after the copies that the thread has started.
void copies_arrive_at(BarrierObject* at);
void expect_bytes_at(BarrierObject* at, std::int64_t bytes); // less than 0: so many have been copied
// So many bytes of bulk copies that complete there.
void bulk_completes_at(BarrierObject* at, std::size_t bytes);
bool parity_of(BarrierObject state);
unsigned pending_of(BarrierObject state);
// Whether the phase of this parity has ended, which is the present one or the last one. If so, the thread has waited for it.
bool has_ended(const BarrierObject* at, bool parity);

// A point of exchange of the lanes of a warp (32 consecutive threads of a block, by their linear index). Waits until
// every lane of `mask` that has not ended is there (mask 0: until no other thread of the block can continue; those
// that are there take part). Returns which lanes took part; `all[lane]` is what each of them gave, valid until the
// thread's next exchange. `orders`: memory too, as __syncwarp() does.
std::uint32_t exchange_in_warp(std::uint32_t mask, std::uint64_t value, const std::uint64_t*& all, bool orders,
                               const CallPlace& place = {});
// The same; returns for which lanes `predicate` holds.
std::uint32_t ballot_in_warp(std::uint32_t mask, bool predicate, const CallPlace& place = {});
// For the observer: the lane wants the value of a lane that took no part in the exchange. `is_warning`: it may not need the value.
void lane_is_absent(std::uint32_t mask, unsigned lane, bool is_warning, const CallPlace& place);
// For the observer: a function that all threads of a group must call has been called by these.
void check_whole_group(std::uint32_t mask, std::uint32_t present, const CallPlace& place);

// Returns when all that the threads of the block have launched is complete, without tail launches: the old device
// runtime's cudaDeviceSynchronize().
void wait_for_children();
// The same for an order of streams: what the thread does next is in no order with the children.
void complete_children();

// cudaTriggerProgrammaticLaunchCompletion(): see Executor::run().
void let_next_grid_begin();
// cudaGridDependencySynchronize(): returns when the grid before it in its stream is complete, if its own grid was launched
// programmatically.
void wait_for_previous_grid();

// For a thread that waits for something that another one writes: lets the other threads and blocks run, under every schedule.
void give_way();
// A thread that has given way keeps its stack. False if most of the stacks that there can be are in use (see fiber.hpp): then a thread
// that may not be waiting should go on.
bool has_stacks_to_spare();

// Returns the memory of the block for `key`. It is the same for all threads of the block, is aligned for any type,
// and is freed when the block ends. The name and the element size are for the observer.
void* shared_memory(const void* key, std::size_t bytes, std::size_t element, const char* name);
// The dynamic shared memory of the block: as many bytes as its launch asked for.
void* dynamic_shared_memory(std::size_t element, const char* name);

} // namespace nestbed::cpu
