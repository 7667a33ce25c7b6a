// tail: recursive reduction with one child per block per level, each by a tail launch. The CUDA guide recommends a
// tail launch instead of a waiting parent: the child continues the work of its parent.
//
//     reduce(slice, stride):                             one block of `stride` threads, one thread per pair
//         if stride == 1: sum = slice[0] + slice[1]
//         thread t: slice[t] += slice[t + stride]
//         thread 0: tail launch reduce(slice, stride/2)  one block of stride/2 threads; runs when this grid is complete
//
// Launches: every root block launches one child per level, log2(block) - 1 levels: grid * (log2(block) - 1).
// Hazards: none, without a barrier. A tail launch starts when the whole launching grid is complete, and sees
// everything that the grid wrote. But the tail launches of one root grid run one after another, with their
// descendants. So root grids are small and use many streams (src/model/launch_plan.hpp).
// Source: CUDA C++ Programming Guide, "Tail Launch Stream", applied to the book's gpuRecursiveReduce.
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The slice of root block b starts at in[2 * stride * b].
template <class T, class Nest>
__global__ void reduce_tail(T* in, T* out, unsigned stride, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * (stride == 0 ? 1 : 2 * stride);
    T* sum = out + blockIdx.x;
    if (stride <= 1 || nest.last_level()) {
        finish_in_block(slice, stride, sum);
        return;
    }
    nest.delay_other_warps();
    slice[tid] += slice[tid + stride];
    if (tid == 0)
        launch<reduce_tail<T, Nest>>(nest, {1, stride / 2}, slice, sum, stride / 2);
}

struct Tail {
    static constexpr StrategyInfo info{
        .name = "tail",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::tail>,
        .summary = "one child per block per level, by tail launch; it continues its parent",
        .hazards = "none: a tail launch starts when the launching grid is complete",
        .source = "CUDA C++ Programming Guide, Tail Launch Stream",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form = ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
        form.one_by_one = true;
        form.root_threads = std::max(1U, point.block / 2);
        return form;
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        const std::uint32_t stride = job.block / 2;
        launch_waves<Tail>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_tail<T, decltype(nest)>>(wave, std::max(1U, stride), wave.in, wave.out, stride, nest);
        });
    }
};

const Register<Tail, ReduceTraits> tail;

} // namespace nestbed::inline NESTBED_BACKEND
