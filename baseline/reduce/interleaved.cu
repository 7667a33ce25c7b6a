// interleaved: pairs half a slice apart, in place.
//
//     for stride = block/2, block/4, ... 1:
//         thread t < stride: slice[t] += slice[t + stride]
//         barrier
//     thread 0: sum = slice[0]
//
// Launches: none from the device.
// Hazards: none. There is a barrier between the levels. (The article's kernel adds the left number twice, and its
// stride never shrinks.)
// Source: Professional CUDA C Programming, chapter 3, "reduceInterleaved".
#include "device/parts/operators.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Op>
__global__ void reduce_interleaved(T* in, T* out, unsigned long long elements)
{
    const unsigned tid = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
    T* slice = in + first;
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride && first + tid + stride < elements)
            slice[tid] = Op::of(slice[tid], slice[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = first < elements ? slice[0] : Op::template kNone<T>;
}

struct Interleaved {
    static constexpr StrategyInfo info{
        .name = "interleaved",
        .workload = &workloads::reduce,
        .summary = "flat: pairs half a slice apart, in place",
        .hazards = "none: a barrier between the levels",
        .source = "Professional CUDA C Programming, ch. 3, reduceInterleaved",
        .operators = true,
    };

    template <class T>
    static void run(const Reduction<T>& job)
    {
        with_operator(job.point.op, [&]<class Op>(Op) {
            host_launch<reduce_interleaved<T, Op>>(job.context, {job.grid, job.block}, job.in, job.out, job.elements);
        });
    }
};

const Register<Interleaved, ReduceTraits> interleaved;

} // namespace nestbed::inline NESTBED_BACKEND
