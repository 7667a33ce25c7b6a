// triangles_bitmap: each block takes an equal share of the edges u -> v, in the order of v; a bit in shared memory for each end of v.
//
//     block b: its share = edges [1024 b, 1024 (b + 1)) in the order of the vertices v to which they lead; fewer in a small graph
//         if 16 or more edges lead to each v on average, and all v are among the 65,536 vertices with most edges:
//             for each v: mark the ends of v, a bit each
//                         8 threads per edge u -> v look whether the ends of u before v are marked, 8 at a time
//                         remove the marks
//         otherwise: a thread per edge merges the ends of u before v with those of v
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

__global__ void LAUNCH_BOUNDS(1024, 2) count_share(TriangleTask task, unsigned of_block)
{
    BLOCK_SHARED(unsigned, words, MarkedBits::kWords);
    if (task.in_edge_count == 0)
        return;
    const unsigned groups = blockDim.x / kLanesPerEdge;
    const EdgeShare share = share_of_block(task, of_block);
    unsigned long long found = 0;
    if (share.has_few_each() || !MarkedBits::fits(share.last)) {
        found = count_merged(task, share.begin, share.end, blockDim.x);
    } else {
        MarkedBits::clear(words, share.last);
        for (unsigned in = share.begin; in < share.end;) {
            const unsigned vertex = task.ends[task.in_edges[in].at];
            const unsigned next = task.in_starts[vertex + 1] < share.end ? task.in_starts[vertex + 1] : share.end;
            const VertexList ends = ends_of(task, vertex);
            MarkedBits::mark(words, ends);
            found += count_marked(task, words, in, next, groups);
            MarkedBits::unmark(words, ends);
            in = next;
        }
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

    static unsigned prepare(const TriangleJob& job)
    {
        return edges_per_share(job, job.context.template resident_blocks<count_share>(job.point.block));
    }

    static void run(const TriangleJob& job, unsigned share)
    {
        host_launch<count_share>(job.context, 0, {shares_of(job, share), job.point.block}, job.task, share);
    }
};

const Register<TrianglesBitmap, TriangleTraits> triangles_bitmap;

} // namespace nestbed::inline NESTBED_BACKEND
