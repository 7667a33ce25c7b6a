// neighbored: flat reduction of neighbouring pairs, in place, one launch.
//
//     for stride = 1, 2, 4, ... block/2:
//         thread t, t a multiple of 2 * stride: slice[t] += slice[t + stride]
//         barrier
//     thread 0: sum = slice[0]
//
// Launches: none from the device.
// Hazards: none. There is a barrier between the levels, and no thread returns before the last barrier. (In the book's
// kernel, threads beyond the end return before the barrier, but other threads still add their elements.)
// Source: Professional CUDA C Programming, chapter 3, "reduceNeighbored".
#include "device/parts/operators.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Op>
__global__ void reduce_neighbored(T* in, T* out, unsigned long long elements)
{
    const unsigned tid = threadIdx.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x;
    T* slice = in + first;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && first + tid + stride < elements)
            slice[tid] = Op::of(slice[tid], slice[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = first < elements ? slice[0] : Op::template kNone<T>;
}

struct Neighbored {
    static constexpr StrategyInfo info{
        .name = "neighbored",
        .workload = &workloads::reduce,
        .summary = "flat: neighbouring pairs, in place, one host launch",
        .hazards = "none: a barrier between the levels",
        .source = "Professional CUDA C Programming, ch. 3, reduceNeighbored",
        .operators = true,
    };

    template <class T>
    static void run(const Reduction<T>& job)
    {
        with_operator(job.point.op, [&]<class Op>(Op) {
            host_launch<reduce_neighbored<T, Op>>(job.context, {job.grid, job.block}, job.in, job.out, job.elements);
        });
    }
};

const Register<Neighbored, ReduceTraits> neighbored;

} // namespace nestbed::inline NESTBED_BACKEND
