// fault_out_of_bounds: every block writes its sum to an address without memory.
//
//     thread 0: sums[far] = 0
//
// On a GPU: cudaErrorIllegalAddress, and nothing else runs in that process. On the executor: SIGSEGV.
// Launches: none from the device.
#include "faults/fault.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// 64 TiB further on: from an address that a program can have, this leads beyond the address space or to unmapped
// addresses. (A few MiB further on there may be memory, also for a GPU that can access the memory of the host.)
template <class T>
inline constexpr std::size_t kFar = (std::size_t{1} << 46) / sizeof(T);

template <class T>
__global__ void write_far_out(T* out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x + kFar<T>] = T{0};
}

struct OutOfBounds {
    static constexpr StrategyInfo info = fault("fault_out_of_bounds", "a kernel that writes where no memory is",
                                               "it loses the device, or ends the process");

    template <class T>
    static void run(const Reduction<T>& job)
    {
        host_launch<write_far_out<T>>(job.context, {job.grid, job.block}, job.out);
    }
};

const RegisterFault<OutOfBounds> out_of_bounds;

} // namespace nestbed::inline NESTBED_BACKEND
