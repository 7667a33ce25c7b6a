// fault_trap: a kernel traps.
//
// On a GPU: cudaErrorLaunchFailure, and nothing runs in that process any more. On the executor: SIGILL.
// Launches: none from the device.
#include "faults/fault.hpp"

#include <csignal>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

__global__ void trap()
{
#ifdef __CUDACC__
    __trap();
#else
    static_cast<void>(std::raise(SIGILL)); // what a trap is depends on the processor
#endif
}

struct Trap {
    static constexpr StrategyInfo info{
        .name = "fault_trap",
        .workload = "reduce",
        .summary = "a kernel that traps",
        .hazards = "it loses the device, or ends the process",
        .source = "nestbed's tests",
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::none(); }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        for_each_wave(job, [&](const ReductionWave<T>& wave) { launch_wave<trap>(wave, job.block); });
    }
};

const RegisterFault<Trap> trap_in_kernel;

} // namespace NESTBED_BACKEND
} // namespace nestbed
