// How a kernel launches a kernel. A recursive kernel takes a Nest by value as its last argument. It begins with
// `const auto scope = nest.enter();` and launches with launch<Kernel>(nest, shape, arguments...), which counts the
// launch and checks its error. The kernel is a template over the type of the Nest. This type determines the launch
// mechanism and whether the run is traced: a traced run has its own instances, so tracing costs other runs nothing.
#pragma once

#include "device/language.hpp"
#include "device/trace_buffer.hpp"
#include "model/ledger.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// How long a parent waits for its child before it gives up, in nanoseconds: the sum of the delays of the `levels`
// levels below the parent, plus two seconds for everything else.
constexpr unsigned long long patience_ns(unsigned levels, unsigned delay_us)
{
    constexpr unsigned long long kTwoSeconds = 2'000'000'000;
    return kTwoSeconds + 1000ULL * delay_us * levels;
}

// cudaErrorLaunchMaxDepthExceeded: the error of a launch at the last level.
inline constexpr int kTooDeep = 65;

// The data of every Nest.
struct NestData {
    Ledger* ledger = nullptr;
    // Completion flags, zeroed before the run: `max_depth` flags for each root block. Only parents that wait need
    // them.
    unsigned* done = nullptr;
    unsigned depth = 0;     // of the grid that holds this Nest; the root grid has 0
    unsigned max_depth = 0; // the deepest level that kernels may launch
    unsigned delay_us = 0;  // delay added to the losing side of a race

    // A grid at the last level must finish its work without a launch.
    __device__ bool last_level() const { return depth >= max_depth; }

    // Delays the threads that lose the race, if the case asks for a delay.
    __device__ void delay(bool loser) const
    {
        if (delay_us != 0 && loser)
            busy_wait_us(delay_us);
    }

    // Delays the threads that do not run in lockstep with thread 0: the other warps; on the executor, all other
    // threads.
    __device__ void delay_other_warps() const { delay(threadIdx.x >= kLockstepThreads); }

    // Tells a waiting parent that this block is complete. The child grid has only this block, so the child is
    // complete too. Call it from one thread, as its last action, after a barrier that follows the writes of all other
    // threads.
    __device__ void complete() const
    {
        if (depth > 0)
            signal_parent(done + depth - 1);
    }

    // ---- used by launch() ----

    // Counts a launch. It comes before the launch call, so that the time of the call hides the time of the atomic
    // operation. Returns false at the last level: a kernel that launches without checking last_level() gets the error
    // that CUDA gives for a grid that is too deep.
    __device__ bool attempt() const
    {
        if constexpr (kCountsLaunches)
            atomicAdd(&ledger->attempted[ledger_level()], 1ULL);
        if (!last_level())
            return true;
        count_failure(kTooDeep);
        return false;
    }

    __device__ void count_failure(int error) const
    {
        atomicAdd(&ledger->failed[ledger_level()], 1ULL);
        atomicCAS(&ledger->first_error, 0, error);
    }

    // Returns the data of a child that is about to be launched.
    __device__ NestData of_child() const
    {
        NestData next = *this;
        ++next.depth;
        if (depth == 0 && done != nullptr)
            next.done += static_cast<std::size_t>(blockIdx.x) * max_depth;
        return next;
    }

  private:
    __device__ unsigned ledger_level() const { return depth < kLedgerLevels ? depth : kLedgerLevels - 1; }
};

// The Nest of grids that launch by mechanism `How`. If `Traced`, they record when they were called, began and ended.
template <Mechanism How, bool Traced>
struct NestBy : NestData {
    static constexpr Mechanism mechanism = How;

    // Marks the begin of the grid, and its end when the returned object goes out of scope. A kernel calls this first.
    // A kernel that must do something else before that takes now() at its beginning and passes it.
    [[nodiscard]] __device__ NoScope enter(unsigned long long /*now*/ = 0) const { return {}; }
    __device__ unsigned long long now() const { return 0; }

    // Returns the Nest of a grid that was not launched through this Nest: a grid of a graph.
    __device__ NestBy at(unsigned level) const
    {
        NestBy here = *this;
        here.depth = level;
        return here;
    }

    // ---- used by launch() ----

    __device__ NestBy child(const LaunchShape& /*shape*/) const { return {of_child()}; }
    __device__ void refused(const NestBy& /*next*/, int /*error*/) const {}
};

template <Mechanism How>
struct NestBy<How, true> : NestData {
    static constexpr Mechanism mechanism = How;
    TraceBuffer* buffer = nullptr;
    unsigned grid = kNoGrid; // the record of the grid that holds this Nest; kNoGrid: the record did not fit

    __device__ unsigned long long now() const { return timer_ns(); }
    [[nodiscard]] __device__ GridScope enter() const { return enter(timer_ns()); }
    [[nodiscard]] __device__ GridScope enter(unsigned long long now) const
    {
        if (grid == kNoGrid)
            return GridScope(nullptr);
        GridRecord& record = buffer->records[grid];
        const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const bool marks = begins_for_others();
        if (block == 0 && marks && record.parent == kNoGrid) {
            record.blocks = gridDim.x * gridDim.y * gridDim.z;
            record.threads = blockDim.x * blockDim.y * blockDim.z;
        }
        if (record.marks == 0)
            return GridScope(nullptr);
        const unsigned mark = record.first_mark + block % record.marks;
        if (marks) {
            atomicMin(&buffer->begun_ns[mark], now);
            if (block < record.marks)
                buffer->multiprocessors[mark] = multiprocessor();
        }
        return GridScope(&buffer->ended_ns[mark]);
    }

    // The runs of a graph come one after another, and nothing else is launched. So their records are consecutive.
    __device__ NestBy at(unsigned level) const
    {
        NestBy here = *this;
        here.depth = level;
        here.grid = grid + level < buffer->grid_capacity ? grid + level : kNoGrid;
        return here;
    }

    // ---- used by launch() ----

    __device__ NestBy child(const LaunchShape& shape) const
    {
        NestBy next{of_child(), buffer, kNoGrid};
        const unsigned claimed = atomicAdd(&buffer->grids, 1U);
        if (claimed >= buffer->grid_capacity)
            return next;
        const unsigned blocks = shape.grid.x * shape.grid.y * shape.grid.z;
        const unsigned marks = blocks < kMarksPerGrid ? blocks : kMarksPerGrid;
        const unsigned first_mark = atomicAdd(&buffer->marks, marks);
        next.grid = claimed;
        buffer->records[claimed] = {.called_ns = timer_ns(),
                                    .parent = grid,
                                    .depth = next.depth,
                                    .blocks = blocks,
                                    .threads = shape.block.x * shape.block.y * shape.block.z,
                                    .first_mark = first_mark,
                                    .marks = first_mark + marks <= buffer->mark_capacity ? marks : 0,
                                    .error = 0};
        return next;
    }

    // Records that the launch of `next` was refused.
    __device__ void refused(const NestBy& next, int error) const
    {
        if (next.grid != kNoGrid)
            buffer->records[next.grid].error = error;
    }
};

// Call it after a launch call. Counts and records a refused launch. Returns false if the launch was refused.
template <class Nest>
__device__ bool check_launch(const Nest& nest, const Nest& next, int error)
{
    if (error == 0)
        return true;
    nest.count_failure(error);
    nest.refused(next, error);
    return false;
}

// Launches a child by the mechanism How, which need not be the Nest's: launch() is what a strategy of one mechanism calls.
template <auto Kernel, Mechanism How, class Nest, class... Args>
__device__ bool launch_by(const Nest& nest, LaunchShape shape, Args... args)
{
    if (!nest.attempt())
        return false;
    const Nest next = nest.child(shape);
    return check_launch(nest, next, device_launch<Kernel, How>(shape, args..., next));
}

// Launches a child by the Nest's mechanism. Call it from one thread, not at the last level. False if the launch failed. The
// kernel's last argument, the child's Nest, is added.
template <auto Kernel, class Nest, class... Args>
__device__ bool launch(const Nest& nest, LaunchShape shape, Args... args)
{
    return launch_by<Kernel, Nest::mechanism>(nest, shape, args...);
}

// What <<< >>> becomes in the kernels of a user's workload: `call(next, shape, stream)` launches, with the child's Nest. The stream is
// of the kernel's choice: nullptr, cudaStreamFireAndForget, cudaStreamTailLaunch, or one that it has made.
template <class Nest, class Call>
__device__ void launched_into(const Nest& nest, cudaStream_t stream, const LaunchShape& shape, const Call& call)
{
    if (!nest.attempt())
        return;
    const Nest next = nest.child(shape);
    check_launch(nest, next, device_launched(stream, shape, next, call));
}

// The same by the Nest's mechanism.
template <class Nest, class Call>
__device__ void launched(const Nest& nest, const LaunchShape& shape, const Call& call)
{
    if constexpr (Nest::mechanism == Mechanism::null_stream) {
        launched_into(nest, nullptr, shape, call);
    } else if constexpr (Nest::mechanism == Mechanism::fire_and_forget) {
        launched_into(nest, cudaStreamFireAndForget, shape, call);
    } else if constexpr (Nest::mechanism == Mechanism::tail) {
        launched_into(nest, cudaStreamTailLaunch, shape, call);
    } else {
        static_assert(Nest::mechanism == Mechanism::named_stream, "kernels launch kernels by four mechanisms");
        cudaStream_t stream = nullptr;
        const int error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        if (error != 0) {
            if (nest.attempt())
                nest.count_failure(error);
            return;
        }
        launched_into(nest, stream, shape, call);
        cudaStreamDestroy(stream); // takes effect when the work in the stream is done
    }
}

// Launches a child and returns when the child and its descendants are complete, as device-side
// cudaDeviceSynchronize() did. A block may have only one such child at a time, and the kernel of the child must call
// complete() on every path. Returns false if the launch failed or the parent gave up waiting.
template <auto Kernel, class Nest, class... Args>
__device__ bool launch_and_wait(const Nest& nest, LaunchShape shape, Args... args)
{
    static_assert(Nest::mechanism == Mechanism::null_stream, "a child that is waited for goes into the NULL stream");
    if (!nest.attempt())
        return false;
    const Nest next = nest.child(shape);
    if (!check_launch(nest, next, device_launch_to_wait_for<Kernel>(shape, args..., next)))
        return false;
    if (wait_for_child(next.done + nest.depth, patience_ns(nest.max_depth - nest.depth, nest.delay_us)))
        return true;
    atomicAdd(&nest.ledger->waits_given_up, 1ULL);
    return false;
}

#ifdef __CUDACC__
// Launches a device graph of a grid like this one, from a kernel of a device graph. Call it from one thread.
template <Mechanism How, class Nest>
__device__ bool launch_graph(const Nest& nest, cudaGraphExec_t graph)
{
    static_assert(launches_graphs(Nest::mechanism) && launches_graphs(How));
    const LaunchShape shape{gridDim, blockDim};
    if (!nest.attempt())
        return false;
    const Nest next = nest.child(shape);
    return check_launch(nest, next, launch_device_graph<How>(graph));
}

// Launches the device graph of this grid again, to run when the current run is done. Call it from one thread.
template <class Nest>
__device__ bool launch_graph_again(const Nest& nest)
{
    return launch_graph<Mechanism::graph_tail>(nest, cudaGetCurrentGraphExec());
}
#endif

} // namespace nestbed::inline NESTBED_BACKEND
