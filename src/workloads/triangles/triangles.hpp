// What a strategy of the workload `triangles` includes: the graph on the device, the job, and how two lists are intersected.
//
// The vertices that can close a triangle of an edge u -> v are those to which u leads before v; they close one if v leads to
// them too (oriented_graph.hpp). The answer is one number, and unique.
#pragma once

#include "device/parts/collective.hpp"
#include "device/parts/request_workload.hpp"
#include "workloads/triangles/descriptor.hpp"
#include "workloads/triangles/oriented_graph.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kTriangleCounts = 1024; // so that threads seldom meet

struct TriangleTask {
    const unsigned* starts; // OrientedGraph
    const unsigned* ends;
    const unsigned* in_starts;
    const InEdge* in_edges;
    unsigned long long* counts; // kTriangleCounts, whose sum is the answer
    unsigned vertices;
    unsigned in_edge_count;
};

// A part of TriangleTask::ends, which rises.
struct VertexList {
    const unsigned* first;
    unsigned count;
};

__device__ inline VertexList ends_of(const TriangleTask& task, unsigned vertex)
{
    const unsigned start = task.starts[vertex];
    return {task.ends + start, task.starts[vertex + 1] - start};
}

// Those to which the start of the edge leads before its end.
__device__ inline VertexList ends_before(const TriangleTask& task, const InEdge& edge)
{
    return {task.ends + edge.first, edge.at - edge.first};
}

// The place of the first end that is not below `vertex`; `count` if there is none.
__device__ inline unsigned place_of(const VertexList& list, unsigned vertex)
{
    unsigned place = 0;
    for (unsigned left = list.count; left != 0;) {
        const unsigned half = left / 2;
        const bool after = list.first[place + half] < vertex;
        place += after ? half + 1 : 0;
        left = after ? left - half - 1 : half;
    }
    return place;
}

__device__ inline unsigned has_end(const VertexList& list, unsigned vertex)
{
    const unsigned place = place_of(list, vertex);
    return place < list.count && list.first[place] == vertex ? 1 : 0;
}

// Vertices in both lists, by one thread. Reads each once.
__device__ inline unsigned merged(const VertexList& one, const VertexList& other)
{
    unsigned common = 0;
    unsigned a = one.first[0];
    unsigned b = other.first[0];
    for (unsigned i = 0, j = 0;;) {
        const bool next_of_one = a <= b;
        const bool next_of_other = b <= a;
        common += a == b ? 1 : 0;
        if (next_of_one) {
            if (++i == one.count)
                return common;
            a = one.first[i];
        }
        if (next_of_other) {
            if (++j == other.count)
                return common;
            b = other.first[j];
        }
    }
}

// Adds what a thread has counted. `where`: any number; those of threads that run at the same time should differ.
__device__ inline void add_count(const TriangleTask& task, unsigned where, unsigned long long mine)
{
    if (mine != 0)
        atomicAdd(&task.counts[where % kTriangleCounts], mine);
}

// The same for a warp, whose threads all call it.
__device__ inline void add_count_of_warp(const TriangleTask& task, unsigned where, unsigned long long mine)
{
    mine = warp_sum(mine);
    if (threadIdx.x % kWarp == 0)
        add_count(task, where, mine);
}

struct TriangleJob : RequestJob {
    TriangleTask task;
};

// A strategy has the members that Register requires, and perhaps
//     static constexpr bool per_edge = true;      if its root grid has a thread for each of in_edges, not for each vertex
struct TriangleFacts {
    bool per_edge = false;

    template <class S>
    static constexpr TriangleFacts of()
    {
        return {.per_edge = requires {S::per_edge;
    }
};
}
}
;

struct TriangleTraits {
    using Job = TriangleJob;
    using Facts = TriangleFacts;
    static constexpr std::array kWorkloads{&workloads::triangles};
};

} // namespace nestbed::inline NESTBED_BACKEND
