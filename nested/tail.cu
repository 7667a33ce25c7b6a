// tail: recursive reduction, a child a block a level, each by a tail launch: what CUDA's guide gives in place of a
// parent that waits. The child is the continuation of its parent.
//
//     reduce(slice, size):                             one block of `size` threads
//         if size == 2: sum = slice[0] + slice[1]
//         thread t < size/2: slice[t] += slice[t + size/2]
//         thread 0: tail launch reduce(slice, size/2)  one block of size/2 threads; runs when this grid is complete
//
// Launches: every root block launches one child a level, log2(block) - 1 levels: grid * (log2(block) - 1).
// Hazards: none, and no barrier: a tail launch starts when all of the launching grid is complete, and sees all that it
// wrote. But one root grid's tail launches run one after another, descendants included, so a root grid has one block
// and the root grids go round many streams (src/core/launch_plan.hpp).
// Source: CUDA C++ Programming Guide, "Tail Launch Stream", applied to the book's gpuRecursiveReduce.
#include "../src/backend/in_block.hpp"
#include "../src/backend/reduction.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

template <class T>
__global__ void reduce_tail(T* in, T* out, unsigned size, Nest nest)
{
    const unsigned tid = threadIdx.x;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * blockDim.x;
    T* sum = out + blockIdx.x;
    if (size == 2) {
        if (tid == 0)
            *sum = slice[0] + slice[1];
        return;
    }
    const unsigned stride = size / 2;
    if (nest.last_level()) {
        finish_in_block(slice, stride, sum);
        return;
    }
    if (tid < stride) {
        nest.delay(tid >= 32);
        slice[tid] += slice[tid + stride];
    }
    if (tid == 0)
        nest.launch<reduce_tail<T>, Mechanism::tail>({1, stride}, slice, sum, stride);
}

struct Tail {
    static constexpr StrategyInfo info{
        .name = "tail",
        .workload = "reduce",
        .mechanisms = kOnly<Mechanism::tail>,
        .summary = "a child a block a level, by tail launch: the continuation of its parent",
        .hazards = "none: a tail launch starts when the launching grid is complete",
        .source = "CUDA C++ Programming Guide, Tail Launch Stream",
        .delayed = true,
    };

    static LaunchForm launches(const Case& point)
    {
        LaunchForm form = LaunchForm::chain_per_block(point.grid, halving_levels(point));
        form.one_by_one = true;
        return form;
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        for_each_wave(job, [&](const ReductionWave<T>& wave) {
            launch_root<reduce_tail<T>>(wave, job.block, wave.in, wave.out, job.block);
        });
    }
};

const RegisterReduction<Tail> tail;

} // namespace NESTBED_BACKEND
} // namespace nestbed
