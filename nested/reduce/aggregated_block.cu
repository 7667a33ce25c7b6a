// aggregated_block: one warp sums one slice; each block makes one launch for the children of all its slices.
//
//     reduce(slices, size):                       one block, warp w owns slices[w]
//         if size == 2: sum[w] = slice[0] + slice[1]
//         each lane, in steps of 32: slice[i] += slice[i + size/2]
//         barrier
//         thread 0: launch reduce(slices, size/2)  one block, for all its warps
//
// Launches: every root block serves 16 slices and launches one child per level, log2(block) - 1 levels: ceil(grid /
// 16) * (log2(block) - 1).
// Hazards: none. The barrier completes the additions of all warps before the launch.
// Source: block-granularity launch aggregation, El Hajj et al., "KLAP: Kernel Launch Aggregation and Promotion for
// Optimizing Dynamic Parallelism", MICRO 2016.
#include "device/parts/collective.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kSlicesPerBlock = 16;

// `in` has `slices` slices; slice s begins at in + s * dim. Block b of the grid sums at most 16 slices, from slice 16
// * b on.
template <class T, class Nest>
__global__ void reduce_aggregated_block(T* in, T* out, unsigned slices, unsigned size, unsigned dim, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned first = blockIdx.x * kSlicesPerBlock;
    const unsigned own = threadIdx.x / kWarp;
    const unsigned lane = threadIdx.x % kWarp;
    const bool active = first + own < slices;
    T* slice = in + static_cast<std::size_t>(first + own) * dim;
    unsigned stride = size / 2;
    const bool last = size <= 2 || nest.last_level();
    do {
        if (active) {
            nest.delay(own != 0);
            for (unsigned i = lane; i < stride; i += kWarp)
                slice[i] += slice[i + stride];
        }
        __syncthreads();
        stride /= 2;
    } while (last && stride > 0);
    if (last) {
        if (active && lane == 0)
            out[first + own] = slice[0];
    } else if (threadIdx.x == 0) {
        const std::size_t offset = static_cast<std::size_t>(first) * dim;
        const unsigned left = slices - first < kSlicesPerBlock ? slices - first : kSlicesPerBlock;
        launch<reduce_aggregated_block<T, Nest>>(nest, {1, blockDim.x}, in + offset, out + first, left, size / 2,
                                                 dim);
    }
}

struct AggregatedBlock {
    static constexpr StrategyInfo info{
        .name = "aggregated_block",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::fire_and_forget, Mechanism::null_stream>,
        .summary = "one warp per slice; one launch per block for the children of its 16 slices",
        .hazards = "none: a barrier completes all additions before the launch",
        .source = "El Hajj et al., KLAP, MICRO 2016, block-granularity aggregation",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form =
            ExpectedLaunches::chain_per_block((point.grid - 1) / kSlicesPerBlock + 1, halving_levels(point));
        form.root_threads = kSlicesPerBlock * kWarp;
        return form;
    }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_waves<AggregatedBlock>(job, [&](const auto& wave, auto nest) {
            const std::uint32_t first = wave.first * kSlicesPerBlock;
            const std::uint32_t slices = std::min(wave.blocks * kSlicesPerBlock, job.grid - first);
            host_launch<reduce_aggregated_block<T, decltype(nest)>>(
                wave, kSlicesPerBlock * kWarp, job.in + std::uint64_t{first} * job.block, job.out + first, slices,
                job.block, job.block, nest);
        });
    }
};

const Register<AggregatedBlock, ReduceTraits> aggregated_block;

} // namespace nestbed::inline NESTBED_BACKEND
