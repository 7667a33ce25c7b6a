// fault_abort: the host aborts where it should launch: SIGABRT on every backend.
// Launches: none from the device.
#include "faults/fault.hpp"

#include <cstdlib>

namespace nestbed::inline NESTBED_BACKEND
{

struct Abort {
    static constexpr StrategyInfo info{
        .name = "fault_abort",
        .workload = &workloads::reduce,
        .summary = "the host aborts",
        .hazards = "it ends the process",
        .source = "nestbed's tests",
    };

    template <class T>
    static void run(const Reduction<T>& /*job*/)
    {
        std::abort();
    }
};

const RegisterFault<Abort> abort_on_host;

} // namespace nestbed::inline NESTBED_BACKEND
