// The ends of one vertex, marked in shared memory, and the edges that lead to the vertex compared with them: what forms that take
// vertex by vertex share. All threads of a block call these functions.
#pragma once

#include "workloads/triangles/triangles.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kLanesPerEdge = 8; // of a warp; they read whole sectors of memory

// A bit for each of the vertices 0 to kBits - 1: those with most edges.
struct MarkedBits {
    static constexpr unsigned kWords = 2048;
    static constexpr unsigned kBits = kWords * 32;

    // Whether all ends of the vertex can be marked at once.
    __device__ static bool fits(unsigned vertex) { return vertex < kBits; }

    // The words of the vertices below `vertices`.
    __device__ static void clear(unsigned* words, unsigned vertices)
    {
        for (unsigned word = threadIdx.x; word * 32 < vertices; word += blockDim.x)
            words[word] = 0;
        __syncthreads();
    }
    __device__ static void mark(unsigned* words, const VertexList& list)
    {
        for (unsigned index = threadIdx.x; index < list.count; index += blockDim.x)
            atomicOr(&words[list.first[index] / 32], 1U << list.first[index] % 32);
        __syncthreads();
    }
    // Several ends may share a word.
    __device__ static void unmark(unsigned* words, const VertexList& list)
    {
        __syncthreads();
        for (unsigned index = threadIdx.x; index < list.count; index += blockDim.x)
            atomicAnd(&words[list.first[index] / 32], 0U);
        __syncthreads();
    }
    __device__ static unsigned has(const unsigned* words, unsigned vertex)
    {
        return words[vertex / 32] >> vertex % 32 & 1;
    }
};

// Triangles of the edges `begin` to `end` - 1 of in_edges, of which each kLanesPerEdge threads take every `step`-th: those that this
// thread finds. has(w): whether the vertex to which the edges lead leads to w.
template <class Has>
__device__ unsigned long long count_by_lanes(const TriangleTask& task, unsigned begin, unsigned end, unsigned step,
                                             const Has& has)
{
    unsigned long long found = 0;
    for (unsigned in = begin + threadIdx.x / kLanesPerEdge; in < end; in += step) {
        const InEdge edge = task.in_edges[in];
        unsigned of_edge = 0;
        for (unsigned at = edge.first + threadIdx.x % kLanesPerEdge; at < edge.at; at += kLanesPerEdge)
            of_edge += has(task.ends[at]);
        found += of_edge;
    }
    return found;
}

// The same where the ends are marked.
__device__ inline unsigned long long count_marked(const TriangleTask& task, const unsigned* words, unsigned begin,
                                                  unsigned end, unsigned step)
{
    return count_by_lanes(task, begin, end, step,
                          [words](unsigned vertex) { return MarkedBits::has(words, vertex); });
}

// The same without marks, for any edges: each thread takes every `step`-th and merges two lists.
__device__ inline unsigned long long count_merged(const TriangleTask& task, unsigned begin, unsigned end,
                                                  unsigned step)
{
    unsigned long long found = 0;
    for (unsigned in = begin + threadIdx.x; in < end; in += step) {
        const InEdge edge = task.in_edges[in];
        found += merged(ends_before(task, edge), ends_of(task, task.ends[edge.at]));
    }
    return found;
}

// The edges of in_edges that a block takes: at most 1024, because a block that has more ends later than the others, and one edge for
// each kLanesPerEdge threads if there are few. `resident`: blocks that run at the same time.
inline unsigned edges_per_share(const TriangleJob& job, std::uint32_t resident)
{
    constexpr unsigned kMaxEdges = 1024;
    return std::clamp(job.task.in_edge_count / resident + 1, job.point.block / kLanesPerEdge, kMaxEdges);
}
inline unsigned shares_of(const TriangleJob& job, unsigned share)
{
    return job.task.in_edge_count == 0 ? 1 : (job.task.in_edge_count - 1) / share + 1;
}

// The edges of a block, and the vertices to which the first and the last of them lead.
struct EdgeShare {
    unsigned begin, end, first, last;

    // Whether so few edges lead to a vertex that marking its ends, with the barriers, takes longer than merging lists.
    __device__ bool has_few_each() const
    {
        constexpr unsigned kFew = 16;
        return last - first > (end - begin) / kFew;
    }
};

// There is at least one edge.
__device__ inline EdgeShare share_of_block(const TriangleTask& task, unsigned share)
{
    const unsigned begin = blockIdx.x * share;
    const unsigned end = task.in_edge_count - begin < share ? task.in_edge_count : begin + share;
    return {begin, end, task.ends[task.in_edges[begin].at], task.ends[task.in_edges[end - 1].at]};
}

} // namespace nestbed::inline NESTBED_BACKEND
