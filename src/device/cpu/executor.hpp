// The executor runs CUDA dynamic parallelism on the CPU, by CUDA's rules.
//
// Every CUDA thread is a fiber. The threads of a block share one operating-system thread. The rules are those of the
// CUDA C++ Programming Guide, chapter "CUDA Dynamic Parallelism":
//   - A barrier waits for all threads of the block that have not ended (since Volta; before, for all). Threads that can
//     never reach it, because they wait for something else, are a Fault.
//   - The lanes of a warp do not run in lockstep (since Volta). They meet at __syncwarp(), shuffles and votes.
//   - The launches of a block into the NULL stream, or into one named stream, run in order. Fire-and-forget launches, and
//     launches into different streams, run in any order. Tail launches run after the parent grid and all its other work, one
//     after another, including their descendants.
//   - A grid is complete only when its descendants are complete.
//   - A launch past the pending-launch limit fails with the error code that the GPU gives.
//   - A grid that the host launches programmatically may begin when each block of the grid before it in its stream has
//     triggered or ended (chapter "Programmatic Dependent Launch and Synchronization"). Random orders let it: from
//     then on, threads of both grids run in any order. By fifo and eager it begins when the grid before has ended.
// The guide does not say when a launch stops being pending. According to measurements on an H200, it is when the grid
// and its descendants are complete, without tail launches and their descendants. (results/h200/pending.csv: with a
// limit of 256, a chain of 512 levels by the NULL stream or fire and forget is refused at its 257th launch; by tail
// launches it is not refused.)
// Two rules are of the old device runtime (device-side cudaDeviceSynchronize): a thread may wait for the child that it
// launches, and for all that its block has launched.
//
// The schedule determines the order:
//   fifo    A child starts after every block that was running at its launch is done, as on a GPU whose launch latency
//           exceeds the remaining work of the parent. The grids of one generation share the worker threads.
//   eager   A child runs to its end at its launch, before the other threads of its parent continue.
//   random  Threads, blocks and grids run in any order that the rules allow. A thread can be interrupted at barriers,
//           launches and waits, and where it gives way. Each run draws its own order. The order depends only on the last number given to
//           draw_from() (before the first call: the seed of the schedule) and on the number of runs since then.
// eager and random always use one worker, so that their behaviour does not depend on the machine.
#pragma once

#include "base/error.hpp"
#include "device/cpu/thread.hpp"
#include "model/mechanism.hpp"
#include "model/schedule.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace nestbed::cpu
{

// The numbers and names of CUDA, so that rows of both backends look alike.
enum LaunchError : int {
    launch_ok = 0,
    launch_invalid_configuration = 9,
    launch_max_depth_exceeded = 65,
    launch_pending_count_exceeded = 69
};
std::string_view name_of(LaunchError error);

unsigned default_workers();

inline constexpr unsigned kMaxThreadsPerBlock = 1024; // the limit of CUDA
inline constexpr unsigned kWarpLanes = 32;
inline constexpr std::size_t kMaxSharedBytes =
    227UL * 1024; // of a block of compute capability 9.0 (CUDA guide, "Technical Specifications")
// Dynamic shared memory that a launch may ask for, unless the host has allowed the kernel more (CUDA guide, "Shared Memory",
// of compute capability 7.x and later).
inline constexpr std::size_t kDefaultDynamicSharedBytes = 48UL * 1024;

// What a GPU would report as an error of the launch or of the kernel: an impossible grid, or kernels that wait for
// ever.
class Fault : public RunError
{
  public:
    explicit Fault(const std::string& text, bool names_kernel = false) : RunError(text), names_kernel_(names_kernel)
    {
    }
    // The text says which kernel it is of.
    bool names_kernel() const { return names_kernel_; }

  private:
    bool names_kernel_;
};
// A write to memory that no kernel can have, which was not done.
class IllegalAccess : public Fault
{
  public:
    using Fault::Fault;
};

// "kernel k (launched at my.cu:12), block (0,0,0)", as the run-time library of users' programs says it; nullptr: it is not said.
extern std::string (*describe_block)(const ThreadContext& thread);

// The call of a kernel by one thread, with its arguments bound.
struct KernelCall : std::function<void()> {
    using function::function;
    KernelCall() = default;
    KernelCall(function call) : function(std::move(call)) {}
    std::size_t shared_bytes = 0; // of dynamic shared memory, per block
    bool cooperative = false;     // its blocks run together
    dim3 cluster;                 // so many do; a grid has whole clusters
    CallPlace launch{};           // the kernel, and where it is launched, of a user's program
};

class Executor
{
  public:
    Executor(Schedule schedule, unsigned workers);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    unsigned workers() const; // number of workers that the schedule uses
    const Schedule& schedule() const;

    unsigned pending_limit() const;
    void set_pending_limit(unsigned launches);

    // Sets the only mechanism by which kernels may launch kernels from now on; empty: any.
    void restrict_to_mechanism(std::optional<Mechanism> mechanism);

    // random: the following runs draw from this number.
    void draw_from(std::uint64_t seed);

    // random: a decision is one choice of which thread continues. Decisions are numbered through all runs, from 0. The
    // default order continues the thread that ran last, else the first thread that can run. A random order deviates
    // from it at these decisions only; empty: wherever it draws so.
    void deviate_only_at(std::optional<std::vector<std::uint64_t>> decisions);
    // random: calls this at each deviation, after the thread that ran instead has stopped again: with the number of the
    // decision, the thread that would have continued (nullptr: none ran before), and the one that ran instead.
    void on_deviation(std::function<void(std::uint64_t decision, const ThreadContext* interrupted,
                                         const ThreadContext* ran_instead)>
                          report);

    // Launches a grid from the host, into one of its streams. `programmatic`: it need not wait for the end of the grid
    // before it in that stream. Returns when the grid and all its descendants are complete; under random orders also
    // when the next grid may begin, because each block of this one has triggered or ended. Throws Fault for an empty or
    // oversized grid, if every thread waits for ever (schedule random), and if a kernel launches by a mechanism that is
    // not allowed. Also throws whatever a kernel throws.
    void run(dim3 grid, dim3 block, KernelCall call, unsigned stream = 0, bool programmatic = false);
    // Returns when all that was launched is complete. Throws as run() does. Call it before the host uses memory, waits or
    // does anything else that is not a launch.
    void finish();
    // Whether something that was launched is not complete.
    bool is_running() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// ---- functions that kernels call, inside a fiber; more are in thread.hpp ----

// The number of the worker that runs the calling thread: less than Executor::workers().
unsigned worker_number();
// Whether the calling thread was the first thread of its block to begin.
bool first_of_block();
// Whether all other threads of the calling thread's block have ended.
bool last_of_block();
// Delays the calling thread. Under `random` it is interrupted `times` times, so that others can overtake it. The
// other schedules run threads in a fixed order, so there is nothing to do.
void delay(unsigned times);
LaunchError launch(dim3 grid, dim3 block, Mechanism mechanism, KernelCall call);
// Launches of a block into one stream run in order. Streams are numbered per block, from 1 on; 0: the stream that the mechanism has of its
// own (the NULL stream; a named stream that nothing else uses). `place`: the address after the launch, for the observer.
LaunchError launch_into(std::uint64_t stream, dim3 grid, dim3 block, Mechanism mechanism, KernelCall call,
                        const void* place);
// Launches into the block's NULL stream and returns when the child and all its descendants are complete.
LaunchError launch_and_wait(dim3 grid, dim3 block, KernelCall call);

} // namespace nestbed::cpu
