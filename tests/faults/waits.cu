// fault_waits: a thread that waits for a later thread of its block. That is right since compute capability 7.0, where the threads of a
// warp run independently, but the executor's threads run in turn: only the race detector's copy sees that this one waits.
//
//     last thread of the block: sum = the second half of the slice; raise a flag
//     thread 0: wait for the flag; sum += the first half
//
// Launches: none from the device.
#include "faults/fault.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T>
__global__ void sum_by_two_threads(const T* in, T* out, unsigned* flags)
{
    const T* const slice = in + static_cast<std::size_t>(blockIdx.x) * blockDim.x;
    const bool last = threadIdx.x == blockDim.x - 1;
    if (threadIdx.x != 0 && !last)
        return;
    const unsigned half = blockDim.x / 2;
    if (last) {
        T sum{0};
        for (unsigned index = half; index < blockDim.x; ++index)
            sum += slice[index];
        out[blockIdx.x] = sum;
        raise(flags + blockIdx.x);
    } else {
        wait_for(flags + blockIdx.x);
        for (unsigned index = 0; index < half; ++index)
            out[blockIdx.x] += slice[index];
    }
}

struct Waits {
    static constexpr StrategyInfo info =
        fault("fault_waits", "a thread waits for a later one of its block",
              "it ends where threads run independently, and hangs where they run in turn");

    static std::uint64_t scratch_bytes(const Case& point) { return sizeof(unsigned) * point.grid; }

    template <class T>
    static Buffer<unsigned> prepare(const Reduction<T>& job)
    {
        return lowered_flags(job.context, job.grid);
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<unsigned>& flags)
    {
        host_launch<sum_by_two_threads<T>>(job.context, {job.grid, job.block}, job.in, job.out, flags.data());
    }
};

const RegisterFault<Waits> waits;

} // namespace nestbed::inline NESTBED_BACKEND
