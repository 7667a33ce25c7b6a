// fault_endless: a kernel that never ends.
//
//     count until the number is odd, by steps of 2: no deadlock, because memory changes
//
// Launches: none from the device.
#include "faults/fault.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void wait_without_end(unsigned* never)
{
    while (atomicAdd(never, 2U) % 2 == 0) {
    }
}

struct Endless {
    static constexpr StrategyInfo info = fault("fault_endless", "a kernel that never ends", "it never ends");

    static std::uint64_t scratch_bytes(const Case& /*point*/) { return sizeof(unsigned); }

    template <class T>
    static Buffer<unsigned> prepare(const Reduction<T>& job)
    {
        return lowered_flags(job.context, 1);
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<unsigned>& never)
    {
        host_launch<wait_without_end>(job.context, {job.grid, job.block}, never.data());
    }
};

const RegisterFault<Endless> endless;

} // namespace nestbed::inline NESTBED_BACKEND
