// cooperative: the levels of reduce2 in one grid. Its blocks wait for each other between the levels. CUDA only.
//
//     for stride = block/2, block/4, ... 1:
//         each block, for each of its slices: thread t: slice[t] += slice[t + stride]
//         grid.sync()
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device.
// Hazards: none: a barrier of the whole grid between the levels.
// Source: CUDA C++ Programming Guide, "Cooperative Groups", "Grid Groups".
#include "device/parts/in_block.hpp"
#include "workloads/reduce/reduction.hpp"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// Block b sums the slices b, b + gridDim, ...
template <class T>
__global__ void reduce_cooperative(T* in, T* out, unsigned slices, unsigned dim, unsigned levels)
{
    const auto grid = cooperative_groups::this_grid();
    for (unsigned level = 0; level < levels; ++level) {
        const unsigned stride = dim / 2 >> level;
        for (unsigned slice = blockIdx.x; slice < slices; slice += gridDim.x) {
            T* data = in + static_cast<std::size_t>(slice) * dim;
            if (threadIdx.x < stride)
                data[threadIdx.x] += data[threadIdx.x + stride];
        }
        grid.sync();
    }
    for (unsigned slice = blockIdx.x; slice < slices; slice += gridDim.x)
        finish_in_block(in + static_cast<std::size_t>(slice) * dim, dim / 2 >> levels, out + slice);
}
#endif

struct Cooperative {
    static constexpr StrategyInfo info{
        .name = "cooperative",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::grid_sync>,
        .summary = "flat: one cooperative grid, grid.sync() between the levels",
        .hazards = "none: a barrier of the whole grid between the levels",
        .source = "CUDA C++ Programming Guide, Cooperative Groups",
        .cuda_only = true,
    };

#ifdef __CUDACC__
    struct Shape {
        std::uint32_t blocks;
        std::uint32_t threads;
    };

    template <class T>
    static Shape prepare(const Reduction<T>& job)
    {
        const std::uint32_t threads = std::max(1U, job.block / 2);
        return {std::min(job.grid, job.context.template resident_blocks<reduce_cooperative<T>>(threads)), threads};
    }

    template <class T>
    static void run(const Reduction<T>& job, const Shape& shape)
    {
        cooperative_launch<reduce_cooperative<T>>(job.context, {shape.blocks, shape.threads}, job.in, job.out,
                                                  job.grid, job.block, halving_levels(job.point));
    }
#endif
};

const Register<Cooperative, ReduceTraits> cooperative;

} // namespace nestbed::inline NESTBED_BACKEND
