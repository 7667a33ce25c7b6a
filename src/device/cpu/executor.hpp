// The executor: CUDA's rules of dynamic parallelism, run on the CPU.
//
// Every CUDA thread is a fiber; the threads of a block share one operating-system thread. The rules are those of the
// CUDA C++ Programming Guide, chapter "CUDA Dynamic Parallelism":
//   - a barrier is for all threads of a block: one in a branch that some of them skip is a Fault (on a GPU it is not defined);
//   - a block's launches into the NULL stream run in order; fire-and-forget launches, and launches each into a named
//     stream of its own, in any order; tail launches after the parent grid and all its other work, one after
//     another, descendants included;
//   - a grid is complete only when its descendants are;
//   - a launch past the pending-launch limit fails with the error code that the GPU gives.
// The guide does not say when a launch stops being pending; measured on an H200 (results/h200/pending.csv: a chain of 512
// levels by the NULL stream or fire and forget is refused under a limit of 256, at its 257th launch; by tail launches it
// is not), it is when the grid and its descendants are complete, tail launches and what comes of them aside.
// Beyond that guide (what device-side cudaDeviceSynchronize did): a thread may wait for the child that it launches.
//
// The order is the schedule's:
//   fifo    a child starts after every block that was running at its launch is done, as on a GPU whose launch
//           latency exceeds the parent's remaining work. Grids of one generation share the worker threads.
//   eager   a child runs at its launch, to the end, before its parent's other threads get any further.
//   random  threads, blocks and grids go in any order that the rules allow. A thread is interrupted at barriers,
//           launches and waits. Every run draws its own order: from the number that draw_from() got last (the schedule's
//           seed before that) and the number of runs since then, and from nothing else.
// eager and random use one worker, however many are asked for: what they do does not depend on the machine.
#pragma once

#include "base/error.hpp"
#include "model/mechanism.hpp"
#include "model/schedule.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

// CUDA's own type, for g++.
struct dim3 { // NOLINT(readability-identifier-naming)
    unsigned x = 1, y = 1, z = 1;
    // NOLINTNEXTLINE(google-explicit-constructor): implicit, as CUDA's is
    constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
};

namespace nestbed::cpu
{

// CUDA's numbers and names, so that rows of both backends read alike.
enum LaunchError : int {
    launch_ok = 0,
    launch_invalid_configuration = 9,
    launch_max_depth_exceeded = 65,
    launch_pending_count_exceeded = 69
};
std::string_view name_of(LaunchError error);

unsigned default_workers();

inline constexpr unsigned kMaxThreadsPerBlock = 1024; // CUDA's

// What a GPU would report as an error of the launch or of the kernel: a grid that cannot be, kernels that wait for ever.
class Fault : public RunError
{
  public:
    using RunError::RunError;
};

using KernelCall = std::function<void()>; // one thread's share of a kernel, arguments bound

class Executor
{
  public:
    Executor(Schedule schedule, unsigned workers);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    unsigned workers() const; // that the schedule uses
    const Schedule& schedule() const;

    unsigned pending_limit() const;
    void set_pending_limit(unsigned launches);

    // The mechanism by which kernels launch kernels from now on; empty: any.
    void go_by(std::optional<Mechanism> mechanism);

    // random: the runs from now on draw from this number.
    void draw_from(std::uint64_t draws);

    // Launches a grid from the host, into one of its streams, and returns when it and all its descendants are complete. Throws Fault for an empty or
    // oversized grid, if every thread waits for ever (schedule random), and if a kernel launches by a mechanism that is not
    // allowed; and whatever a kernel throws.
    void run(dim3 grid, dim3 block, KernelCall call, unsigned stream = 0);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// ---- what kernels call, from inside a fiber ----

struct ThreadContext {
    dim3 thread_index, block_index, block_dim, grid_dim;
    void* observed = nullptr; // see observer.hpp
};
inline constinit thread_local ThreadContext* current_thread = nullptr;

void barrier();
// The block's memory for `key`, the same for all its threads, aligned for any type; gone when the block ends. Its name and the size of an
// element are for who watches.
void* shared_memory(const void* key, std::size_t bytes, std::size_t element, std::string_view name);
// Of the worker that runs the calling thread: below Executor::workers().
unsigned worker_number();
// No other thread of the calling thread's block began before it.
bool first_of_block();
// All other threads of the calling thread's block are gone.
bool last_of_block();
// Holds the calling thread up: under `random` it is interrupted `times` times, so that others may overtake it; the
// other schedules run threads in a fixed order, and there is nothing to do.
void delay(unsigned times);
LaunchError launch(dim3 grid, dim3 block, Mechanism mechanism, KernelCall call);
// Launches into the block's NULL stream and returns when the child and all its descendants are complete.
LaunchError launch_and_wait(dim3 grid, dim3 block, KernelCall call);

} // namespace nestbed::cpu
