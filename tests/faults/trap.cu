// fault_trap: a kernel traps.
//
// On a GPU: cudaErrorLaunchFailure, and nothing else runs in that process. On the executor: SIGILL.
// Launches: none from the device.
#include "faults/fault.hpp"

#include <csignal>

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void trap()
{
#ifdef __CUDACC__
    __trap();
#else
    static_cast<void>(std::raise(SIGILL)); // the signal of a trap depends on the processor
#endif
}

struct Trap {
    static constexpr StrategyInfo info =
        fault("fault_trap", "a kernel that traps", "it loses the device, or ends the process");

    template <class T>
    static void run(const Reduction<T>& job)
    {
        host_launch<trap>(job.context, {job.grid, job.block});
    }
};

const RegisterFault<Trap> trap_in_kernel;

} // namespace nestbed::inline NESTBED_BACKEND
