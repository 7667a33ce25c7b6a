// Nest: how a kernel launches a kernel. Every device launch that is made goes through launch_child(), so that it is
// counted and its error is checked. A Nest is passed by value to each kernel that recurses, as its last argument. Kernels are
// templates over its type: a traced run has instances of its own, with a TracedNest, and tracing costs the others nothing.
#pragma once

#include "device/language.hpp"
#include "device/trace_buffer.hpp"
#include "model/ledger.hpp"

#include <stdexcept>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

struct Nest {
    Ledger* ledger = nullptr;
    // Completion flags, zeroed before the run: `max_depth` for each root block. Only parents that wait need any.
    unsigned* done = nullptr;
    unsigned depth = 0;     // of the grid that holds this Nest; the root grid has 0
    unsigned max_depth = 0; // the deepest level that may be launched
    unsigned delay_us = 0;  // by which the losers of a race are held up

    // A grid at the last level must finish its work without a launch.
    __device__ bool last_level() const { return depth >= max_depth; }

    // Holds up the threads that lose the race, if the case asks for a delay.
    __device__ void delay(bool loser) const
    {
        if (delay_us != 0 && loser)
            hold_up(delay_us);
    }

    // The same for the threads that do not run in step with thread 0: other warps; on the executor, all others.
    __device__ void delay_other_warps() const { delay(threadIdx.x >= kInStep); }

    // The grid's begin and, when what is returned goes out of scope, its end: the first thing that a kernel does. What
    // it had to do before that takes now() at its beginning.
    __device__ NoScope enter(unsigned long long /*now*/ = 0) const { return {}; }
    __device__ unsigned long long now() const { return 0; }

    // The Nest of a grid that was not launched through it: one of a graph.
    __device__ Nest at(unsigned level) const
    {
        Nest here = *this;
        here.depth = level;
        return here;
    }

    // Tells a waiting parent that this block is done, and so (the block being its child grid's only one) the
    // child. Call it from one thread, as the last thing, after a barrier behind all other threads' writes.
    __device__ void complete() const
    {
        if (depth > 0)
            signal_parent(done + depth - 1);
    }

    // ---- for launch_child() ----

    // The Nest of a child that is about to be launched.
    __device__ Nest child(const LaunchShape& /*shape*/) const
    {
        Nest next = *this;
        ++next.depth;
        if (depth == 0 && done != nullptr)
            next.done += static_cast<std::size_t>(blockIdx.x) * max_depth;
        return next;
    }

    // Before the call, whose time then hides the atomic's.
    __device__ void count_attempt() const
    {
        if constexpr (kCountsLaunches)
            atomicAdd(&ledger->attempted[ledger_level()], 1ULL);
    }

    __device__ void count_failure(int error) const
    {
        atomicAdd(&ledger->failed[ledger_level()], 1ULL);
        atomicCAS(&ledger->first_error, 0, error);
    }

  private:
    __device__ unsigned ledger_level() const { return depth < kLedgerLevels ? depth : kLedgerLevels - 1; }
};

// A Nest whose grids mark when they were called, begun and ended.
struct TracedNest : Nest {
    TraceBuffer* buffer = nullptr;
    unsigned grid = kNoGrid; // the record of the grid that holds this Nest; kNoGrid: it did not fit

    __device__ unsigned long long now() const { return timer_ns(); }
    __device__ GridScope enter() const { return enter(timer_ns()); }
    __device__ GridScope enter(unsigned long long now) const
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

    // A graph's runs come one after another, and nothing else is launched: so do their records.
    __device__ TracedNest at(unsigned level) const
    {
        TracedNest here = *this;
        here.depth = level;
        here.grid = grid + level < buffer->grid_capacity ? grid + level : kNoGrid;
        return here;
    }

    __device__ TracedNest child(const LaunchShape& shape) const
    {
        TracedNest next{Nest::child(shape), buffer, kNoGrid};
        const unsigned claimed = atomicAdd(&buffer->grids, 1U);
        if (claimed >= buffer->grid_capacity)
            return next;
        const unsigned blocks = shape.grid.x * shape.grid.y * shape.grid.z;
        const unsigned marks = blocks < kMarksAGrid ? blocks : kMarksAGrid;
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

    // The launch of `next` was refused.
    __device__ void refused(const TracedNest& next, int error) const
    {
        if (next.grid != kNoGrid)
            buffer->records[next.grid].error = error;
    }
};

// After a launch call: counts what was refused.
template <class AnyNest>
__device__ bool check_launch(const AnyNest& nest, const AnyNest& next, int error)
{
    if (error == 0)
        return true;
    nest.count_failure(error);
    if constexpr (requires { nest.refused(next, error); })
        nest.refused(next, error);
    return false;
}

// Launches a child, into the block's NULL stream if nothing else is said. Call it from one thread. False if the launch
// failed. The kernel's last argument, the child's Nest, is added.
template <auto Kernel, Mechanism How = Mechanism::null_stream, class AnyNest, class... Args>
__device__ bool launch_child(const AnyNest& nest, LaunchShape shape, Args... args)
{
    nest.count_attempt();
    const AnyNest next = nest.child(shape);
    return check_launch(nest, next, device_launch<Kernel, How>(shape, args..., next));
}

// Launches a child and returns when it and its descendants are complete: what device-side
// cudaDeviceSynchronize() was used for. At most one such child of a block at a time; its kernel must call
// complete() on every path. False if the launch failed or the wait was given up.
template <auto Kernel, class AnyNest, class... Args>
__device__ bool launch_child_and_wait(const AnyNest& nest, LaunchShape shape, Args... args)
{
    nest.count_attempt();
    const AnyNest next = nest.child(shape);
    if (!check_launch(nest, next, device_launch_to_wait_for<Kernel>(shape, args..., next)))
        return false;
    if (wait_for_child(next.done + nest.depth))
        return true;
    atomicAdd(&nest.ledger->waits_given_up, 1ULL);
    return false;
}

#ifdef __CUDACC__
// Launches the device graph of this grid again, to run when this run of it is done. Call it from one thread.
template <class AnyNest>
__device__ bool launch_graph_again(const AnyNest& nest)
{
    const LaunchShape shape{gridDim, blockDim};
    nest.count_attempt();
    const AnyNest next = nest.child(shape);
    return check_launch(nest, next, relaunch_graph());
}
#endif

// Calls call.template operator()<M>() with the job's mechanism as M, one of those that launch a kernel from a kernel.
template <class Call>
void with_mechanism(Mechanism mechanism, Call&& call)
{
    switch (mechanism) {
    case Mechanism::null_stream:
        return call.template operator()<Mechanism::null_stream>();
    case Mechanism::named_stream:
        return call.template operator()<Mechanism::named_stream>();
    case Mechanism::fire_and_forget:
        return call.template operator()<Mechanism::fire_and_forget>();
    case Mechanism::tail:
        return call.template operator()<Mechanism::tail>();
    default:
        throw std::logic_error("not a mechanism that launches a kernel from a kernel");
    }
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
