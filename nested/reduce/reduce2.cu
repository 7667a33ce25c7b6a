// reduce2: recursive reduction with one child per level for the whole grid.
//
//     reduce(in, stride):                         grid blocks of `stride` threads; block b owns in[b * dim ...]
//         if stride == 1: sum = slice[0] + slice[1]
//         thread t: slice[t] += slice[t + stride]
//         thread 0 of block 0: launch reduce(in, stride/2)   grid blocks of stride/2 threads
//
// The block size halves from level to level, so no thread is idle. `dim` passes the slice length of the root to all
// levels.
// Launches: one per level, log2(block) - 1 levels, for any grid.
// Hazards: RACY, as in the book. Block 0 launches the next level for all blocks. A child block may read numbers that the
// parent's block of the same index has not added yet. On a GPU the launch latency usually hides this; `delay_us` delays the
// other blocks.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduce2".
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Nest>
__global__ void reduce_reduce2(T* in, T* out, unsigned stride, unsigned dim, Nest nest)
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
    nest.delay(blockIdx.x != 0); // delays the losing side of the race by the case's delay_us
    slice[tid] += slice[tid + stride];
    if (tid == 0 && blockIdx.x == 0)
        launch<reduce_reduce2<T, Nest>>(nest, {gridDim.x, stride / 2}, in, out, stride / 2, dim);
}

struct Reduce2 {
    static constexpr StrategyInfo info{
        .name = "reduce2",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "one child per level for the whole grid, launched by block 0",
        .hazards = "racy: child blocks may start before their parent blocks have added",
        .source = "Professional CUDA C Programming, ch. 3, gpuRecursiveReduce2",
        .axes = {axis::delay},
        .racy = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_grid(halving_levels(point));
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        const std::uint32_t stride = job.block / 2;
        launch_waves<Reduce2>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_reduce2<T, decltype(nest)>>(wave, std::max(1U, stride), wave.in, wave.out, stride,
                                                           job.block, nest);
        });
    }
};

const Register<Reduce2, ReduceTraits> reduce2;

} // namespace nestbed::inline NESTBED_BACKEND
