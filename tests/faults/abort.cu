// fault_abort: the host aborts where it should launch: SIGABRT on every backend.
// Launches: none from the device.
#include "faults/fault.hpp"

#include <cstdlib>

namespace nestbed::inline NESTBED_BACKEND
{

struct Abort {
    static constexpr StrategyInfo info = fault("fault_abort", "the host aborts", "it ends the process");

    template <class T>
    static void run(const Reduction<T>& /*job*/)
    {
        std::abort();
    }
};

const RegisterFault<Abort> abort_on_host;

} // namespace nestbed::inline NESTBED_BACKEND
