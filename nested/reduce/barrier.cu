// barrier: nosync without its race. A block barrier comes before the launch.
//
//     reduce(slice, stride):                        one block of `stride` threads, one thread per pair
//         if stride == 1: sum = slice[0] + slice[1]
//         thread t: slice[t] += slice[t + stride]
//         barrier
//         thread 0: launch reduce(slice, stride/2)  one block of stride/2 threads
//
// The blocks of nosync have twice as many threads, and half of them are idle. That costs up to a quarter of its time
// (results/h200/ways.csv.gz).
//
// Launches: every root block launches one child per level, log2(block) - 1 levels: grid * (log2(block) - 1).
// Hazards: none. A child sees what the launching thread wrote before the launch. The barrier completes all additions
// of the block before the launch. No other block touches the slice. With `tail`, the chains of one root grid run one
// after another (CUDA C++ Programming Guide, "Tail Launch Stream"): the result is right, but the run is slow.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduceNosync"; the barrier is ours.
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The slice of root block b starts at in[2 * stride * b].
template <class T, class Nest>
__global__ void reduce_barrier(T* in, T* out, unsigned stride, Nest nest)
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
    __syncthreads();
    if (tid == 0)
        launch<reduce_barrier<T, Nest>>(nest, {1, stride / 2}, slice, sum, stride / 2);
}

struct Barrier {
    static constexpr StrategyInfo info{
        .name = "barrier",
        .workload = &workloads::reduce,
        .mechanisms = kChildrenByKernel,
        .summary = "nosync with a block barrier before the launch",
        .hazards = "none: the barrier completes the block's additions before the launch",
        .source = "after Professional CUDA C Programming, ch. 3, gpuRecursiveReduceNosync",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form = ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
        form.one_by_one = mechanism_of(info, point) == Mechanism::tail;
        form.root_threads = std::max(1U, point.block / 2);
        return form;
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        const std::uint32_t stride = job.block / 2;
        launch_waves<Barrier>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_barrier<T, decltype(nest)>>(wave, std::max(1U, stride), wave.in, wave.out, stride,
                                                           nest);
        });
    }
};

const Register<Barrier, ReduceTraits> barrier;

} // namespace nestbed::inline NESTBED_BACKEND
