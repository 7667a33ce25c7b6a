// The header of every fault: it creates the registry entry, and has flags that a kernel can wait for without end.
#pragma once

#include "device/parts/in_block.hpp"
#include "faults/faults.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Corresponds to RegisterReduction of a strategy, but register_faults() creates the entry.
template <class S>
class RegisterFault
{
  public:
    RegisterFault()
    {
        add_fault([] { static const Register<S, ReduceTraits> entry; });
    }
};

constexpr StrategyInfo fault(std::string_view name, std::string_view summary, std::string_view hazards,
                             std::span<const Mechanism> mechanisms = StrategyInfo{}.mechanisms)
{
    return {.name = name,
            .workload = &workloads::reduce,
            .mechanisms = mechanisms,
            .summary = summary,
            .hazards = hazards,
            .source = "nestbed's tests"};
}

struct OneLaunchPerRootBlock {
    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_block(point.grid, levels_within(point, 1));
    }
};

// What prepare() of a fault returns: flags that are not raised. The flags of the workload are for strategies that
// declare that parents wait; the launch plan then takes the waiting into account.
inline Buffer<unsigned> lowered_flags(Context& context, std::size_t count)
{
    Buffer<unsigned> flags = context.allocate<unsigned>(count);
    context.fill_bytes(flags, 0, count);
    return flags;
}

// Called by one thread after a barrier: what its block wrote before is visible to every thread that has waited.
__device__ inline void raise(unsigned* flag)
{
    store_release(flag, 1);
}

// Waits without a time limit, and on the executor without giving the worker to other threads.
__device__ inline void wait_for(unsigned* flag)
{
    while (load_acquire(flag) == 0) {
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
