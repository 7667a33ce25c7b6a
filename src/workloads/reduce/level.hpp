// The levels of reduce2 that the host submits, shared by host_loop and graph_host.
#pragma once

#include "device/parts/in_block.hpp"
#include "device/submitted_levels.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// One level, with `stride` threads per block (at least 1). Block b owns in[b * dim ...]. The last level completes the
// sum of the block.
template <class T>
__global__ void reduce_level(T* in, T* out, unsigned stride, unsigned dim, bool last)
{
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * dim;
    begin_level();
    if (last)
        finish_in_block(slice, stride, out + blockIdx.x);
    else
        slice[threadIdx.x] += slice[threadIdx.x + stride];
}

// Returns what makes the root level and each level below it, by the mechanism of the case.
template <class T>
std::function<void()> reduce_levels(const Reduction<T>& job)
{
    return submitted_levels(job, [&job] {
        const unsigned levels = halving_levels(job.point);
        for (unsigned level = 0; level <= levels; ++level) {
            const std::uint32_t stride = job.block / 2 >> level;
            launch_level<reduce_level<T>>(job, {job.grid, std::max(1U, stride)}, job.in, job.out, stride, job.block,
                                          level == levels);
        }
    });
}

} // namespace nestbed::inline NESTBED_BACKEND
