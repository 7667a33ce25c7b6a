// quadtree_morton: sorts the points by their Morton codes with cub::DeviceRadixSort, and finds all nodes by binary search. CUDA
// only.
// The nodes are made from sorted codes in src/workloads/quadtree/quadtree_sorted.hpp.
//
//     one thread for each point: its code and its place
//     CUB: sort codes and places
//     one thread for each point: the nodes of all levels that begin at it; where each ends, by binary search
//
// Launches: none from the device; several from the host, most by the library.
// Hazards: none. The sort is stable. Blocks reserve places in the list of nodes by atomic operations, so its order depends
// on the order of execution.
// Source: CUB, which comes with the CUDA toolkit. Sorting by Morton codes first is the way of RAPIDS cuSpatial
// (quadtree_on_points), which then finds the nodes level by level.
// Compiled with CUB, which it includes.
#include "workloads/quadtree/quadtree_sorted.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
__global__ void find_nodes(QuadTask task)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned* const codes = task.at(QuadPlace::out).codes;
    const auto code_at = [codes](unsigned at) { return __ldg(codes + at); };
    const QuadPart whole = whole_square(task.count, task.limits);
    QuadLevels levels{1, 0};
    if (index < task.count)
        levels = levels_at(whole, task.limits, index, code_at);
    const unsigned root = index == 0 ? 1 : 0;
    unsigned next = reserve_nodes(task, levels.count() + root);
    if (root != 0)
        task.put(next++, {0, 0, 0, task.count});
    for (unsigned level = levels.first; level <= levels.last; ++level)
        task.put(next++, node_at(whole, index, level, code_at));
}
#endif

struct QuadtreeMorton {
    static constexpr StrategyInfo info{
        .name = "quadtree_morton",
        .workload = &workloads::quadtree,
        .summary = "flat: the library sorts the points by Morton codes; a thread per point finds the nodes",
        .hazards = "none: the library synchronizes its own kernels",
        .source = "CUB; RAPIDS cuSpatial, quadtree_on_points",
        .cuda_only = true,
    };
    static constexpr QuadForm form = QuadForm::flat;

#ifdef __CUDACC__
    static Buffer<unsigned char> prepare(const QuadJob& job)
    {
        return scratch_of_sort(job);
    }

    static void run(const QuadJob& job, const Buffer<unsigned char>& scratch)
    {
        sort_points(job, scratch);
        host_launch<find_nodes>(job.context, shape_of_points(job), job.task);
    }
#endif
};

const Register<QuadtreeMorton, QuadtreeTraits> quadtree_morton;

} // namespace nestbed::inline NESTBED_BACKEND
