// shared_interleaved: pairs half a block apart, in shared memory. The stride shrinks, so whole warps become idle.
//
//     thread t: partial[t] = slice[t]                   in shared memory
//     barrier
//     for stride = block/2, block/4, ... 1:
//         thread t < stride: partial[t] += partial[t + stride]
//         barrier
//     thread 0: sum = partial[0]
//
// Launches: none from the device.
// Hazards: none: a barrier between the levels. The input is only read.
// Source: Harris, "Optimizing Parallel Reduction in CUDA" (2007), reduction 3.
#include "device/parts/collective.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T>
__global__ void reduce_shared_interleaved(const T* in, T* out, unsigned long long elements)
{
    BLOCK_SHARED(T, partial, kMaxThreads);
    const unsigned tid = threadIdx.x;
    const unsigned long long index = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + tid;
    partial[tid] = index < elements ? in[index] : T{0};
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            partial[tid] += partial[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

struct SharedInterleaved {
    static constexpr StrategyInfo info{
        .name = "shared_interleaved",
        .workload = &workloads::reduce,
        .summary = "flat: pairs half a block apart, in shared memory",
        .hazards = "none: a barrier between the levels",
        .source = "GPU programming, part 4: parallel reduction; Harris, Optimizing Parallel Reduction in CUDA",
    };

    template <class T>
    static void run(const Reduction<T>& job)
    {
        host_launch<reduce_shared_interleaved<T>>(job.context, {job.grid, job.block}, job.in, job.out, job.elements);
    }
};

const Register<SharedInterleaved, ReduceTraits> shared_interleaved;

} // namespace nestbed::inline NESTBED_BACKEND
