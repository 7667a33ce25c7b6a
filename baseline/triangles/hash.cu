// triangles_hash: as triangles_bitmap, with a hash table of the ends of v in shared memory instead of bits.
//
//     block b: its share = edges [1024 b, 1024 (b + 1)) in the order of the vertices v to which they lead; fewer in a small graph
//         if 16 or more edges lead to each v on average:
//             for each v, for each 1024 ends of v:
//                 enter the ends into the table, of at least twice as many places; a place that is taken: the next one
//                 8 threads per edge u -> v look up the ends of u before v, 8 at a time
//         otherwise: a thread per edge merges the ends of u before v with those of v
//
// A table serves any vertex, also one with few edges; a bit serves only vertices with low numbers.
//
// Launches: none from the device.
// Hazards: none. The graph is only read, and counts are added up by atomic functions. Barriers are between entering and reading.
// Source: Pandey et al., "TRUST: triangle counting reloaded on GPUs", TPDS 2021; H-INDEX, HPEC 2019.
#include "workloads/triangles/marked_ends.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kNoVertex = 0xFFFFFFFF;
inline constexpr unsigned kEndsAtOnce = 1024;
inline constexpr unsigned kHashPlaces = 2 * kEndsAtOnce;

// Places of the table: `mask` + 1, a power of two.
__device__ inline unsigned place_in_table(unsigned vertex, unsigned mask)
{
    return (vertex * 0x9E3779B1U >> 16 ^ vertex) & mask;
}

// Enters the ends into the table. All threads of the block call it. Returns its mask.
__device__ inline unsigned enter_ends(unsigned* table, const VertexList& ends)
{
    constexpr unsigned kFewest = 32;
    unsigned places = kFewest;
    while (places < 2 * ends.count)
        places *= 2;
    for (unsigned place = threadIdx.x; place < places; place += blockDim.x)
        table[place] = kNoVertex;
    __syncthreads();
    for (unsigned index = threadIdx.x; index < ends.count; index += blockDim.x) {
        unsigned place = place_in_table(ends.first[index], places - 1);
        while (atomicCAS(&table[place], kNoVertex, ends.first[index]) != kNoVertex)
            place = (place + 1) & (places - 1);
    }
    __syncthreads();
    return places - 1;
}

__device__ inline unsigned is_entered(const unsigned* table, unsigned mask, unsigned vertex)
{
    for (unsigned place = place_in_table(vertex, mask);; place = (place + 1) & mask) {
        const unsigned there = table[place];
        if (there == vertex || there == kNoVertex)
            return there == vertex ? 1 : 0;
    }
}

__global__ void LAUNCH_BOUNDS(1024, 2) count_hashed_share(TriangleTask task, unsigned of_block)
{
    BLOCK_SHARED(unsigned, table, kHashPlaces);
    if (task.in_edge_count == 0)
        return;
    const unsigned* const entered = table;
    const unsigned groups = blockDim.x / kLanesPerEdge;
    const EdgeShare share = share_of_block(task, of_block);
    unsigned long long found = 0;
    if (share.has_few_each()) {
        found = count_merged(task, share.begin, share.end, blockDim.x);
    } else {
        for (unsigned in = share.begin; in < share.end;) {
            const unsigned vertex = task.ends[task.in_edges[in].at];
            const unsigned next = task.in_starts[vertex + 1] < share.end ? task.in_starts[vertex + 1] : share.end;
            const VertexList ends = ends_of(task, vertex);
            for (unsigned first = 0; first < ends.count; first += kEndsAtOnce) {
                const unsigned count = ends.count - first < kEndsAtOnce ? ends.count - first : kEndsAtOnce;
                const unsigned mask = enter_ends(table, {ends.first + first, count});
                found += count_by_lanes(task, in, next, groups,
                                        [entered, mask](unsigned end) { return is_entered(entered, mask, end); });
                __syncthreads(); // nobody still reads the table
            }
            in = next;
        }
    }
    add_count_of_warp(task, (blockIdx.x * blockDim.x + threadIdx.x) / kWarp, found);
}

struct TrianglesHash {
    static constexpr StrategyInfo info{
        .name = "triangles_hash",
        .workload = &workloads::triangles,
        .summary = "flat: an equal share of the edges for each block; the ends of a vertex are in a hash table",
        .hazards = "none: counts are added up by atomic functions",
        .source = "Pandey et al., TRUST, TPDS 2021",
    };

    static unsigned prepare(const TriangleJob& job)
    {
        return edges_per_share(job, job.context.template resident_blocks<count_hashed_share>(job.point.block));
    }

    static void run(const TriangleJob& job, unsigned share)
    {
        host_launch<count_hashed_share>(job.context, 0, {shares_of(job, share), job.point.block}, job.task, share);
    }
};

const Register<TrianglesHash, TriangleTraits> triangles_hash;

} // namespace nestbed::inline NESTBED_BACKEND
