// triangles_search: a warp per edge u -> v; its threads search for the ends in the shorter list, those of u before v or those of v,
// in the longer one.
// Lists and counts are in src/workloads/triangles/triangles.hpp.
//
// Launches: none from the device.
// Hazards: none. The graph is only read, and counts are added up by atomic functions.
// Source: Hu, Liu, Huang, "TriCore: parallel triangle counting on GPUs", SC 2018.
#include "workloads/triangles/triangles.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void search_ends(TriangleTask task)
{
    const unsigned in = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
    unsigned found = 0;
    if (in < task.in_edge_count) {
        const InEdge edge = task.in_edges[in];
        const VertexList before = ends_before(task, edge);
        const VertexList ends = ends_of(task, task.ends[edge.at]);
        const bool by_before = before.count < ends.count;
        const VertexList& keys = by_before ? before : ends;
        for (unsigned index = threadIdx.x % kWarp; index < keys.count; index += kWarp)
            found += has_end(by_before ? ends : before, keys.first[index]);
    }
    add_count_of_warp(task, in, found);
}

struct TrianglesSearch {
    static constexpr StrategyInfo info{
        .name = "triangles_search",
        .workload = &workloads::triangles,
        .summary = "flat: a warp per edge searches for the ends of the shorter list in the longer one",
        .hazards = "none: counts are added up by atomic functions",
        .source = "Hu et al., TriCore, SC 2018",
    };

    static void run(const TriangleJob& job)
    {
        const unsigned edges = job.task.in_edge_count;
        const unsigned of_block = job.point.block / kWarp;
        host_launch<search_ends>(job.context, 0, {edges == 0 ? 1 : (edges - 1) / of_block + 1, job.point.block},
                                 job.task);
    }
};

const Register<TrianglesSearch, TriangleTraits> triangles_search;

} // namespace nestbed::inline NESTBED_BACKEND
