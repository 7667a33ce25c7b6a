// For the flat forms of the workload `quadtree` that sort first: the points in the order of their Morton codes, by
// cub::DeviceRadixSort. CUDA only.
#pragma once

#include "workloads/quadtree/quadtree.hpp"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>

namespace nestbed::inline NESTBED_BACKEND
{

static __global__ void make_codes(QuadTask task, QuadArray to)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= task.count)
        return;
    to.codes[index] = morton_code(task.points[index]);
    to.order[index] = index;
}

// As cub::DeviceRadixSort::SortPairs. Without scratch it only says how many bytes of scratch it needs.
inline cudaError_t sort_codes(const QuadJob& job, void* scratch, std::size_t& bytes)
{
    const QuadArray& from = job.task.at(QuadPlace::spare);
    const QuadArray& to = job.task.at(QuadPlace::out);
    const cudaStream_t stream = scratch == nullptr ? nullptr : job.context.stream(0);
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, static_cast<const unsigned*>(from.codes), to.codes,
                                           static_cast<const unsigned*>(from.order), to.order,
                                           static_cast<int>(job.task.count), 0, static_cast<int>(kCodeBits), stream);
}

inline Buffer<unsigned char> scratch_of_sort(const QuadJob& job)
{
    std::size_t bytes = 0;
    check(sort_codes(job, nullptr, bytes));
    return job.context.allocate<unsigned char>(bytes);
}

// A thread per point.
inline LaunchShape shape_of_points(const QuadJob& job)
{
    return {(job.task.count - 1) / job.point.block + 1, job.point.block};
}

// Codes and places of the points, in order, in QuadPlace::out.
inline void sort_points(const QuadJob& job, const Buffer<unsigned char>& scratch)
{
    std::size_t bytes = scratch.size();
    host_launch<make_codes>(job.context, shape_of_points(job), job.task, job.task.at(QuadPlace::spare));
    job.context.lose_count_of_host_launches();
    check(sort_codes(job, scratch.data(), bytes));
}

} // namespace nestbed::inline NESTBED_BACKEND
#endif
