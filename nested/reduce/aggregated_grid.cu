// aggregated_grid: one launch per level for the children of all blocks. The last block to finish makes the launch.
//
//     reduce(in, stride):                         grid blocks of `stride` threads; block b owns in[b * dim ...]
//         if stride == 1: sum = slice[0] + slice[1]
//         thread t: slice[t] += slice[t + stride]
//         barrier
//         thread 0: arrive; the last of the grid: launch reduce(in, stride/2) for all blocks
//
// Launches: one per level, log2(block) - 1 levels, for any grid: the same as reduce2.
// Hazards: none. Each block passes a barrier and then arrives at a counter with acquire-release order. The last block
// to arrive makes the launch. So all blocks have added before the launch, whatever the order of the blocks.
// Source: grid-granularity launch aggregation, El Hajj et al., "KLAP: Kernel Launch Aggregation and Promotion for
// Optimizing Dynamic Parallelism", MICRO 2016.
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// `arrived` is 0 at the start of every level, because the last block to arrive resets it.
template <class T, class Nest>
__global__ void reduce_aggregated_grid(T* in, T* out, unsigned stride, unsigned dim, unsigned* arrived, Nest nest)
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
    __syncthreads();
    if (tid == 0 && is_last_block(arrived, gridDim.x))
        launch<reduce_aggregated_grid<T, Nest>>(nest, {gridDim.x, stride / 2}, in, out, stride / 2, dim, arrived);
}

struct AggregatedGrid {
    static constexpr StrategyInfo info{
        .name = "aggregated_grid",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "one launch per level for all blocks, made by the last block to finish",
        .hazards = "none: every block has arrived before the launch",
        .source = "El Hajj et al., KLAP, MICRO 2016, grid-granularity aggregation",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form = ExpectedLaunches::chain_per_grid(halving_levels(point));
        form.by_last_block = true;
        return form;
    }

    template <class T>
    static Buffer<unsigned> prepare(const Reduction<T>& job)
    {
        auto arrived = job.context.template allocate<unsigned>(1, "arrived");
        job.context.fill_bytes(arrived, 0, 1);
        return arrived;
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<unsigned>& arrived)
    {
        const std::uint32_t stride = job.block / 2;
        launch_waves<AggregatedGrid>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_aggregated_grid<T, decltype(nest)>>(wave, std::max(1U, stride), wave.in, wave.out,
                                                                   stride, job.block, arrived.data(), nest);
        });
    }
};

const Register<AggregatedGrid, ReduceTraits> aggregated_grid;

} // namespace nestbed::inline NESTBED_BACKEND
