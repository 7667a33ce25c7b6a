// naive_tree: a grid of fixed size strides over the input; then each block adds the sums of its threads, halving
// their number in each step.
// The sum of a thread is in src/workloads/reduce/grid_stride.hpp.
//
//     thread t: sums[t] = in[t] + in[t + threads of the grid] + ...       in shared memory
//     barrier
//     for stride = block/2, block/4, ... 1:
//         thread t < stride: sums[t] += sums[t + stride]
//         barrier
//     thread 0: sum = sums[0]
//     then the same by one block over the blocks' sums
//
// Launches: none from the device; two from the host, or one if there is only one block. (In the article the host adds
// the sums of the blocks.) Sums have 64 bits, because a float sum of many numbers in one thread would lose digits.
// Hazards: none. There is a barrier between each write and the reads of other threads.
// Source: CUDA by Numba Examples, part 2, example 2.2.
#include "workloads/reduce/grid_stride.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class In, class Sum>
__global__ void sum_naive_tree(const In* in, unsigned long long elements, Sum* out)
{
    BLOCK_SHARED(Sum, sums, kMaxThreads);
    sums[threadIdx.x] = grid_stride_sum<Sum>(in, elements);
    __syncthreads();
    add_in_halves(sums, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

struct NaiveTree : GridStride {
    static constexpr StrategyInfo info{
        .name = "naive_tree",
        .workload = &workloads::reduce,
        .summary = "flat: a fixed grid over the input; each block adds in halving steps",
        .hazards = "none: a barrier between each write and the reads of other threads",
        .source = "CUDA by Numba Examples, part 2",
    };

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<WideSum<T>>& sums)
    {
        using Sum = WideSum<T>;
        launch_grid_stride<sum_naive_tree<T, Sum>, sum_naive_tree<Sum, Sum>>(job, sums);
    }
};

const Register<NaiveTree, ReduceTraits> naive_tree;

} // namespace nestbed::inline NESTBED_BACKEND
