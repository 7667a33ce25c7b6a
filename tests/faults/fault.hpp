// What a fault's file includes: how it gets its entry, and flags to wait for without end.
#pragma once

#include "device/parts/in_block.hpp"
#include "device/workloads/reduction.hpp"
#include "faults/faults.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What RegisterReduction is to a strategy; but the entry is made by register_faults().
template <class S>
class RegisterFault
{
  public:
    RegisterFault()
    {
        add_fault([] { static const RegisterReduction<S> entry; });
    }
};

// What a fault's prepare() gives: flags that are not raised. The workload's own are for parents that say that they wait, which
// the launch plan then sees to.
inline Buffer<unsigned> lowered_flags(Context& context, std::size_t count)
{
    Buffer<unsigned> flags = context.allocate<unsigned>(count);
    context.fill_bytes(flags, 0, count);
    return flags;
}

// For one thread, behind a barrier: what its block wrote before is visible to who has waited.
__device__ inline void raise(unsigned* flag)
{
    store_release(flag, 1);
}

// Without patience, and, on the executor, without letting go of the worker.
__device__ inline void wait_for(unsigned* flag)
{
    while (load_acquire(flag) == 0) {
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
