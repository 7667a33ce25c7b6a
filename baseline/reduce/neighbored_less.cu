// neighbored_less: neighbouring pairs in place, added by the first threads of the block, so that whole warps become idle.
//
//     for stride = 1, 2, 4, ... block/2:
//         thread t, if there are 2 * stride numbers at i = 2 * stride * t: slice[i] += slice[i + stride]
//         barrier
//     thread 0: sum = slice[0]
//
// Launches: none from the device.
// Hazards: none: a barrier between the levels.
// Source: Professional CUDA C Programming, chapter 3, "reduceNeighboredLess".
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T>
__global__ void reduce_neighbored_less(T* in, T* out, unsigned long long elements)
{
    const unsigned tid = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
    T* slice = in + first;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned index = 2 * stride * tid;
        if (index < blockDim.x && first + index + stride < elements)
            slice[index] += slice[index + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = first < elements ? slice[0] : T{0};
}

struct NeighboredLess {
    static constexpr StrategyInfo info{
        .name = "neighbored_less",
        .workload = &workloads::reduce,
        .summary = "flat: neighbouring pairs, in place, by the first threads",
        .hazards = "none: a barrier between the levels",
        .source = "Professional CUDA C Programming, ch. 3, reduceNeighboredLess",
    };

    template <class T>
    static void run(const Reduction<T>& job)
    {
        host_launch<reduce_neighbored_less<T>>(job.context, {job.grid, job.block}, job.in, job.out, job.elements);
    }
};

const Register<NeighboredLess, ReduceTraits> neighbored_less;

} // namespace nestbed::inline NESTBED_BACKEND
