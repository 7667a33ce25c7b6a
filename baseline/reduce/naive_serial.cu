// naive_serial: a grid of fixed size strides over the input; then one thread of each block adds the sums of its threads.
// The sum of a thread is in src/workloads/reduce/grid_stride.hpp.
//
//     thread t: sums[t] = in[t] + in[t + threads of the grid] + ...       in shared memory
//     barrier
//     thread 0: sum = sums[0] + sums[1] + ...
//     then the same by one block over the blocks' sums
//
// Launches: none from the device; two from the host, or one if there is only one block. (In the article the host adds
// the sums of the blocks.) Sums have 64 bits, because a float sum of many numbers in one thread would lose digits.
// Hazards: none. There is a barrier between each write and the reads of other threads.
// Source: CUDA by Numba Examples, part 2, example 2.1.
#include "workloads/reduce/grid_stride.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class In, class Sum>
__global__ void sum_naive_serial(const In* in, unsigned long long elements, Sum* out)
{
    BLOCK_SHARED(Sum, sums, kMaxThreads);
    sums[threadIdx.x] = grid_stride_sum<Sum>(in, elements);
    __syncthreads();
    if (threadIdx.x == 0) {
        Sum sum{};
        for (unsigned thread = 0; thread < blockDim.x; ++thread)
            sum += sums[thread];
        out[blockIdx.x] = sum;
    }
}

struct NaiveSerial : GridStride {
    static constexpr StrategyInfo info{
        .name = "naive_serial",
        .workload = &workloads::reduce,
        .summary = "flat: a fixed grid over the input; one thread adds the sums of a block",
        .hazards = "none: a barrier between each write and the reads of other threads",
        .source = "CUDA by Numba Examples, part 2",
    };

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<WideSum<T>>& sums)
    {
        using Sum = WideSum<T>;
        launch_grid_stride<sum_naive_serial<T, Sum>, sum_naive_serial<Sum, Sum>>(job, sums);
    }
};

const Register<NaiveSerial, ReduceTraits> naive_serial;

} // namespace nestbed::inline NESTBED_BACKEND
