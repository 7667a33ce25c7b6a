// What a strategy of the workloads `bfs` and `sssp` includes: the graph on the device, and the job.
//
// The answer is the distance of every vertex from the source: edges on a path (bfs), or the sum of their weights (sssp). It is
// unique, so that every form is compared with the host's, vertex by vertex.
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/bfs/descriptor.hpp"
#include "workloads/bfs/graph_count.hpp"

#include <array>
#include <span>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct GraphTask {
    const unsigned* starts;    // of the edges of each vertex, and the end
    const unsigned* ends;      // the vertex to which each edge leads
    const unsigned* weights;   // of each edge; null: 1 (bfs)
    const unsigned* in_starts; // the same for the edges that lead to a vertex
    const unsigned* in_ends;
    unsigned* distance; // kUnreached; 0 for the source
    unsigned vertices;
    unsigned edges;
    unsigned source;
    RequestTotals* totals; // work: edges that were looked at
};

// The length of a path over one more edge.
__device__ inline unsigned longer_by(const GraphTask& task, unsigned distance, unsigned edge)
{
    const unsigned longer = distance + (task.weights == nullptr ? 1 : task.weights[edge]);
    return longer < distance ? kUnreached : longer; // no shortest path is as long
}

// A place in a list for every thread for which `has` is true. All threads of the warp call it. `count` may be in shared or in
// global memory.
__device__ inline unsigned place_in(unsigned* count, bool has)
{
    const unsigned mask = __ballot_sync(0xFFFFFFFFU, has);
    if (mask == 0)
        return 0;
    const unsigned lane = threadIdx.x % kLanes;
    unsigned first = 0;
    if (lane == 0)
        first = atomicAdd(count, static_cast<unsigned>(__popc(mask)));
    return __shfl_sync(0xFFFFFFFFU, first, 0) + static_cast<unsigned>(__popc(mask & ((1U << lane) - 1)));
}

// The same for several items per thread.
template <unsigned Items>
__device__ void places_in(unsigned* count, const bool (&has)[Items], unsigned (&places)[Items])
{
    const unsigned lane = threadIdx.x % kLanes;
    unsigned masks[Items];
    unsigned total = 0;
    for (unsigned item = 0; item < Items; ++item) {
        masks[item] = __ballot_sync(0xFFFFFFFFU, has[item]);
        total += static_cast<unsigned>(__popc(masks[item]));
    }
    if (total == 0)
        return;
    unsigned first = 0;
    if (lane == 0)
        first = atomicAdd(count, total);
    first = __shfl_sync(0xFFFFFFFFU, first, 0);
    for (unsigned item = 0; item < Items; ++item) {
        places[item] = first + static_cast<unsigned>(__popc(masks[item] & ((1U << lane) - 1)));
        first += static_cast<unsigned>(__popc(masks[item]));
    }
}

// Adds up a number of every thread of the warp, which all call it.
template <class T>
__device__ void add_of_warp(T* sum, unsigned mine)
{
    mine = __reduce_add_sync(0xFFFFFFFFU, mine);
    if (threadIdx.x % kLanes == 0 && mine != 0)
        atomicAdd(sum, static_cast<T>(mine));
}

// The least of a number of every thread of the warp, which all call it.
__device__ inline void min_of_warp(unsigned* least, unsigned mine)
{
    mine = __reduce_min_sync(0xFFFFFFFFU, mine);
    if (threadIdx.x % kLanes != 0)
        return;
    if (mine != kUnreached)
        atomicMin(least, mine);
}

struct GraphJob : RequestJob {
    GraphTask task;
    std::uint32_t source_edges;
};

// A strategy has the members that Register requires, and
//     static constexpr GraphForm form;             what the oracle counts
//     static constexpr bool backwards = true;      if the task needs in_starts and in_ends: the edges to each vertex
struct GraphFacts {
    GraphForm form;
    bool backwards = false;

    template <class S>
    static constexpr GraphFacts of()
    {
        return {.form = S::form, .backwards = requires {S::backwards;
    }
};
}
}
;

struct GraphTraits {
    using Job = GraphJob;
    using Facts = GraphFacts;
    static constexpr std::array kWorkloads{&workloads::bfs, &workloads::sssp};
};

} // namespace nestbed::inline NESTBED_BACKEND
