// Nest: how a kernel launches a kernel. Every device launch that is made goes through here, so that it is
// counted and its error is checked. Passed by value to each kernel that recurses, as its last argument.
#pragma once

#include "../core/ledger.hpp"
#include "language.hpp"

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

    // The Nest of a grid that was not launched through it: one of a graph.
    __device__ Nest at(unsigned level) const
    {
        Nest here = *this;
        here.depth = level;
        return here;
    }

    // Holds up the threads that lose the race, if the case asks for a delay.
    __device__ void delay(bool loser) const
    {
        if (delay_us != 0 && loser)
            hold_up(delay_us);
    }

    // The same for the threads that do not run in step with thread 0: other warps; on the executor, all others.
    __device__ void delay_other_warps() const { delay(threadIdx.x >= kInStep); }

    // Launches a child, into the block's NULL stream if nothing else is said. Call it from one thread. False if the
    // launch failed.
    template <auto Kernel, Mechanism How = Mechanism::null_stream, class... Args>
    __device__ bool launch(LaunchShape shape, Args... args) const
    {
        count_attempt();
        return check_launch(device_launch<Kernel, How>(shape, args..., child()));
    }

#ifdef __CUDACC__
    // Launches the device graph of this grid again, to run when this run of it is done. Call it from one thread.
    __device__ bool launch_graph_again() const
    {
        count_attempt();
        return check_launch(relaunch_graph());
    }
#endif

    // Launches a child and returns when it and its descendants are complete: what device-side
    // cudaDeviceSynchronize() was used for. At most one such child of a block at a time; its kernel must call
    // complete() on every path. False if the launch failed or the wait was given up.
    template <auto Kernel, class... Args>
    __device__ bool launch_and_wait(LaunchShape shape, Args... args) const
    {
        const Nest next = child();
        count_attempt();
        if (!check_launch(device_launch_to_wait_for<Kernel>(shape, args..., next)))
            return false;
        if (wait_for_child(next.done + depth))
            return true;
        atomicAdd(&ledger->waits_given_up, 1ULL);
        return false;
    }

    // Tells a waiting parent that this block is done, and so (the block being its child grid's only one) the
    // child. Call it from one thread, as the last thing, after a barrier behind all other threads' writes.
    __device__ void complete() const
    {
        if (depth > 0)
            signal_parent(done + depth - 1);
    }

  private:
    __device__ Nest child() const
    {
        Nest next = *this;
        ++next.depth;
        if (depth == 0 && done != nullptr)
            next.done += static_cast<std::size_t>(blockIdx.x) * max_depth;
        return next;
    }

    __device__ unsigned ledger_level() const
    {
        return depth < kLedgerLevels ? depth : kLedgerLevels - 1;
    }

    // Before the call, whose time then hides the atomic's.
    __device__ void count_attempt() const
    {
        atomicAdd(&ledger->attempted[ledger_level()], 1ULL);
    }

    __device__ bool check_launch(int error) const
    {
        if (error == 0)
            return true;
        atomicAdd(&ledger->failed[ledger_level()], 1ULL);
        atomicCAS(&ledger->first_error, 0, error);
        return false;
    }
};

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
