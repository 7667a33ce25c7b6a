// synced: recursive reduction with one child per block per level. A parent block continues only when its child is
// done.
//
//     reduce(slice, size):                        one block of `size` threads
//         if size == 2: sum = slice[0] + slice[1]
//         thread t < size/2: slice[t] += slice[t + size/2]
//         barrier
//         thread 0: launch reduce(slice, size/2) and wait for it
//         barrier
//
// Launches: every root block launches one child per level, log2(block) - 1 levels: grid * (log2(block) - 1).
// Hazards: no race. The barrier completes all additions before the launch. But a waiting parent stays resident, so
// the root blocks must start in waves whose chains all fit on the device (src/model/launch_plan.hpp).
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduce". Its device-side cudaDeviceSynchronize()
// is not available since compute capability 9.0. How a parent waits without it: src/device/nest.hpp.
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Nest>
__global__ void reduce_synced(T* in, T* out, unsigned size, Nest nest)
{
    const auto scope = nest.enter(); // a traced run records the grid's start here, and its end when `scope` ends
    const unsigned tid = threadIdx.x;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * blockDim.x;
    T* sum = out + blockIdx.x;
    const unsigned stride = size / 2;
    if (size == 2) {
        if (tid == 0)
            *sum = slice[0] + slice[1];
    } else if (nest.last_level()) { // the depth limit of the case is reached: finish here
        finish_in_block(slice, stride, sum);
    } else {
        if (tid < stride) {
            nest.delay_other_warps();
            slice[tid] += slice[tid + stride];
        }
        __syncthreads();
        if (tid == 0)
            launch_and_wait<reduce_synced<T, Nest>>(nest, {1, stride}, slice, sum, stride);
        __syncthreads();
    }
    if (tid == 0)
        nest.complete(); // ends the wait of the parent
}

struct Synced {
    static constexpr StrategyInfo info{
        .name = "synced",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "one child per block per level; the parent's block waits for it",
        .hazards = "none: a barrier before the launch; root blocks start in waves that fit on the device",
        .source = "Professional CUDA C Programming, ch. 3, gpuRecursiveReduce",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form = ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
        form.parent_waits = true;
        return form;
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        // Called once per wave: the root blocks start in waves whose chains all fit on the device. The type of `nest`
        // selects the mechanism.
        launch_waves<Synced>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_synced<T, decltype(nest)>>(wave, job.block, wave.in, wave.out, job.block, nest);
        });
    }
};

const Register<Synced, ReduceTraits> synced;

} // namespace nestbed::inline NESTBED_BACKEND
