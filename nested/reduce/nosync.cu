// nosync: recursive reduction with one child per block per level. No parent waits.
//
//     reduce(slice, size):                        one block of `size` threads
//         if size == 2: sum = slice[0] + slice[1]
//         thread t < size/2: slice[t] += slice[t + size/2]
//         thread 0: launch reduce(slice, size/2)  one block of size/2 threads
//
// Launches: every root block launches one child per level, log2(block) - 1 levels: grid * (log2(block) - 1).
// Hazards: RACY, as in the book. Thread 0 launches when its own addition is done. The child may read numbers that the other
// threads have not added yet. On a GPU the launch latency usually hides this; `delay_us` delays the other warps.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduceNosync". There the input is modified in
// place, the sum of each block goes to the host, and the depth is always full. Here `depth` can limit it.
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Nest>
__global__ void reduce_nosync(T* in, T* out, unsigned size, Nest nest)
{
    const auto scope = nest.enter(); // a traced run records the grid's start here, and its end when `scope` ends
    const unsigned tid = threadIdx.x;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * blockDim.x;
    T* sum = out + blockIdx.x;
    if (size == 2) {
        if (tid == 0)
            *sum = slice[0] + slice[1];
        return;
    }
    const unsigned stride = size / 2;
    if (nest.last_level()) { // the depth limit of the case is reached: finish here
        finish_in_block(slice, stride, sum);
        return;
    }
    if (tid < stride) {
        nest.delay_other_warps(); // delays the losing side of the race by the case's delay_us
        slice[tid] += slice[tid + stride];
    }
    if (tid == 0)
        launch<reduce_nosync<T, Nest>>(nest, {1, stride}, slice, sum, stride);
}

struct Nosync {
    static constexpr StrategyInfo info{
        .name = "nosync",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget>,
        .summary = "one child per block per level; the parent does not wait",
        .hazards = "racy: the child may start before its parent's other threads have added",
        .source = "Professional CUDA C Programming, ch. 3, gpuRecursiveReduceNosync",
        .axes = {axis::delay},
        .racy = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        // Called once per wave: the root blocks start in waves whose launches fit the pending limit. The type of
        // `nest` selects the mechanism.
        launch_waves<Nosync>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_nosync<T, decltype(nest)>>(wave, job.block, wave.in, wave.out, job.block, nest);
        });
    }
};

const Register<Nosync, ReduceTraits> nosync;

} // namespace nestbed::inline NESTBED_BACKEND
