// triangles_merge: a thread per edge u -> v merges the ends of u before v with those of v.
// Lists and counts are in src/workloads/triangles/triangles.hpp.
//
// Launches: none from the device.
// Hazards: none. The graph is only read, and counts are added up by atomic functions.
// Source: Polak, "Counting triangles in large graphs on GPU", IPDPSW 2016.
#include "workloads/triangles/triangles.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void merge_ends(TriangleTask task)
{
    const unsigned in = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
    if (in < task.in_edge_count) {
        const InEdge edge = task.in_edges[in];
        found = merged(ends_before(task, edge), ends_of(task, task.ends[edge.at]));
    }
    add_count_of_warp(task, in / kWarp, found);
}

struct TrianglesMerge {
    static constexpr StrategyInfo info{
        .name = "triangles_merge",
        .workload = &workloads::triangles,
        .summary = "flat: a thread per edge merges two lists",
        .hazards = "none: counts are added up by atomic functions",
        .source = "Polak, IPDPSW 2016",
    };

    static void run(const TriangleJob& job)
    {
        const unsigned edges = job.task.in_edge_count;
        host_launch<merge_ends>(job.context, 0, {edges == 0 ? 1 : (edges - 1) / job.point.block + 1, job.point.block},
                                job.task);
    }
};

const Register<TrianglesMerge, TriangleTraits> triangles_merge;

} // namespace nestbed::inline NESTBED_BACKEND
