// triangles_bitmap: each block takes an equal share of the edges u -> v, in the order of v; a bit in shared memory for each end of v.
//
//     block b: its share = edges [1024 b, 1024 (b + 1)) in the order of the vertices v to which they lead
//         for each v in the share, if it is one of the 65,536 vertices with most edges:
//             mark the ends of v: a bit each
//             8 threads per edge u -> v look whether the ends of u before v are marked, 8 at a time
//             remove the marks
//         the edges to other vertices, which have few edges: 8 threads search for the ends of u before v among those of v
//
// One launch. A vertex to which many edges lead has several blocks, which all mark its ends: at most sqrt(2 * edges). Only the
// ends of u before v are read, not all ends of v or of u, so each pair of edges that could be closed is looked at once.
//
// Launches: none from the device.
// Hazards: none. The graph is only read, and counts are added up by atomic functions. Barriers are between marking and reading.
// Source: Bisson, Fatica, "High performance exact triangle counting on GPUs", TPDS 2017; equal shares of edges: Green,
// Yalamanchili, Munguia, IA3 2014.
#include "workloads/triangles/marked_ends.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kEdgesPerShare = 1024;

__global__ void LAUNCH_BOUNDS(1024, 2) count_share(TriangleTask task)
{
    BLOCK_SHARED(unsigned, words, MarkedBits::kWords);
    const unsigned groups = blockDim.x / kLanesPerEdge;
    unsigned in = blockIdx.x * kEdgesPerShare;
    const unsigned end = task.in_edge_count - in < kEdgesPerShare ? task.in_edge_count : in + kEdgesPerShare;
    unsigned long long found = 0;
    MarkedBits::clear(words, MarkedBits::kBits);
    while (in < end) {
        const unsigned vertex = task.ends[task.in_edges[in].at];
        if (!MarkedBits::fits(vertex)) { // nor do those after it
            found += count_searched(task, in, end, groups);
            break;
        }
        const unsigned last = task.in_starts[vertex + 1];
        const unsigned here = last < end ? last : end;
        const VertexList ends = ends_of(task, vertex);
        MarkedBits::mark(words, ends);
        found += count_marked(task, words, in, here, groups);
        MarkedBits::unmark(words, ends);
        in = here;
    }
    add_count_of_warp(task, (blockIdx.x * blockDim.x + threadIdx.x) / kWarp, found);
}

struct TrianglesBitmap {
    static constexpr StrategyInfo info{
        .name = "triangles_bitmap",
        .workload = &workloads::triangles,
        .summary = "flat: an equal share of the edges for each block; the ends of a vertex are bits in shared memory",
        .hazards = "none: counts are added up by atomic functions",
        .source = "Bisson and Fatica, TPDS 2017",
    };

    static void run(const TriangleJob& job)
    {
        const unsigned edges = job.task.in_edge_count;
        host_launch<count_share>(job.context, 0, {edges == 0 ? 1 : (edges - 1) / kEdgesPerShare + 1, job.point.block},
                                 job.task);
    }
};

const Register<TrianglesBitmap, TriangleRoom> triangles_bitmap;

} // namespace nestbed::inline NESTBED_BACKEND
