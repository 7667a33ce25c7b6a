// reduce2_tail: reduce2 without its race. The next level is a tail launch.
//
//     reduce(in, stride):                         grid blocks of `stride` threads; block b owns in[b * dim ...]
//         if stride == 1: sum = slice[0] + slice[1]
//         thread t: slice[t] += slice[t + stride]
//         thread 0 of block 0: tail launch reduce(in, stride/2)   grid blocks; runs when this grid is complete
//
// Launches: one per level, log2(block) - 1 levels, for any grid.
// Hazards: none. A tail launch starts when all blocks of the launching grid are complete, and sees everything that
// they wrote.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduce2"; the tail launch is ours.
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Nest>
__global__ void reduce_reduce2_tail(T* in, T* out, unsigned stride, unsigned dim, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * dim;
    T* sum = out + blockIdx.x;
    if (stride == 1) {
        if (tid == 0)
            *sum = slice[0] + slice[1];
        return;
    }
    if (nest.last_level()) {
        finish_in_block(slice, stride, sum);
        return;
    }
    nest.delay(blockIdx.x != 0);
    slice[tid] += slice[tid + stride];
    if (tid == 0 && blockIdx.x == 0)
        launch<reduce_reduce2_tail<T, Nest>>(nest, {gridDim.x, stride / 2}, in, out, stride / 2, dim);
}

struct Reduce2Tail {
    static constexpr StrategyInfo info{
        .name = "reduce2_tail",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::tail>,
        .summary = "reduce2 with a tail launch for the next level",
        .hazards = "none: a tail launch starts when all blocks of the launching grid are complete",
        .source = "after Professional CUDA C Programming, ch. 3, gpuRecursiveReduce2",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_grid(halving_levels(point));
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        const std::uint32_t stride = job.block / 2;
        launch_waves<Reduce2Tail>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_reduce2_tail<T, decltype(nest)>>(wave, std::max(1U, stride), wave.in, wave.out, stride,
                                                                job.block, nest);
        });
    }
};

const Register<Reduce2Tail, ReduceTraits> reduce2_tail;

} // namespace nestbed::inline NESTBED_BACKEND
