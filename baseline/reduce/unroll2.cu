// unroll2: interleaved, with two slices per block: a thread first adds its two numbers.
//
//     thread t: slice[t] += slice[t + block]
//     barrier
//     for stride = block/2, block/4, ... 1:
//         thread t < stride: slice[t] += slice[t + stride]
//         barrier
//     thread 0: sum = slice[0]
//
// Launches: none from the device.
// Hazards: none. There is a barrier between the levels. (The article compares the thread's index in its block with
// the size of the input. Its levels also add numbers beyond the end of an incomplete first slice.)
// Source: Professional CUDA C Programming, chapter 3, "reduceUnrolling2".
#include "device/parts/slices.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T>
__global__ void reduce_unroll2(T* in, T* out, unsigned long long elements)
{
    constexpr unsigned kSlices = 2;
    const unsigned tid = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * kSlices * blockDim.x;
    T* slice = in + first;
    if (first + tid < elements)
        slice[tid] = sum_of_slices<kSlices>(slice, tid, blockDim.x, elements - first);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride && first + tid + stride < elements)
            slice[tid] += slice[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = first < elements ? slice[0] : T{0};
}

struct Unroll2 {
    static constexpr StrategyInfo info{
        .name = "unroll2",
        .workload = &workloads::reduce,
        .summary = "flat: interleaved, a thread first adds two numbers",
        .hazards = "none: a barrier between the levels",
        .source = "Professional CUDA C Programming, ch. 3, reduceUnrolling2",
    };
    static constexpr unsigned blocks_per_sum = 2;

    template <class T>
    static void run(const Reduction<T>& job)
    {
        host_launch<reduce_unroll2<T>>(job.context, {(job.grid - 1) / blocks_per_sum + 1, job.block}, job.in, job.out,
                                       job.elements);
    }
};

const Register<Unroll2, ReduceTraits> unroll2;

} // namespace nestbed::inline NESTBED_BACKEND
