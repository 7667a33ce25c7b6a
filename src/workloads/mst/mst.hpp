// What a strategy of the workload `mst` includes: the graph on the device, the components, and the job.
//
// The answer is a mark for every edge: 1 if it is in the minimum spanning forest. The forest is unique (mst_graph.hpp), so
// that every form is compared with the host's, edge by edge.
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/mst/descriptor.hpp"
#include "workloads/mst/mst_count.hpp"

#include <array>
#include <span>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

using MstKey = unsigned long long;

struct MstTask {
    const unsigned* from; // of each edge
    const unsigned* to;
    const unsigned* weights;
    const unsigned*
        starts; // of the list of each vertex in `halves`, and the end; null unless the strategy has `halves`
    const MstEdge* halves;
    unsigned* chosen;    // of each edge: 0
    unsigned* component; // of each vertex: its own number
    unsigned vertices;
    unsigned edges;
    unsigned light; // the largest weight of a light edge (light_weight())
};

// The component at the end of the chain that begins with `component`, and halves the chain. Others may do the same, or hook
// its end to another component.
__device__ inline unsigned root_of(unsigned* parents, unsigned component)
{
    for (;;) {
        const unsigned parent = load_relaxed(&parents[component]);
        if (parent == component)
            return component;
        const unsigned next = load_relaxed(&parents[parent]);
        if (next == parent)
            return parent;
        store_relaxed(&parents[component], next);
        component = next;
    }
}

// Lowers the key of a component. Most calls find a lower one.
__device__ inline void lower(MstKey* best, MstKey key)
{
    if (load_relaxed(best) > key)
        atomicMin(best, key);
}

__device__ inline MstKey lesser(MstKey one, MstKey other)
{
    return other < one ? other : one;
}

// The least of the keys of the warp, whose threads all call it.
__device__ inline MstKey min_of_warp(MstKey key)
{
    constexpr unsigned kWeightShift = 32;
    const auto weight = static_cast<unsigned>(key >> kWeightShift);
    const unsigned least = __reduce_min_sync(0xFFFFFFFFU, weight);
    const unsigned number = __reduce_min_sync(0xFFFFFFFFU, weight == least ? static_cast<unsigned>(key) : UINT32_MAX);
    return mst_key(least, number);
}

struct MstJob : RequestJob {
    MstTask task;
};

// A strategy has the members that Register requires, and
//     static constexpr MstForm form;             what the oracle counts
//     static constexpr bool halves = true;       if it needs the list of edges of every vertex
struct MstFacts {
    MstForm form;
    bool halves = false;

    template <class S>
    static constexpr MstFacts of()
    {
        if constexpr (requires { S::halves; })
            return {.form = S::form, .halves = true};
        else
            return {.form = S::form};
    }
};

struct MstTraits {
    using Job = MstJob;
    using Facts = MstFacts;
    static constexpr std::array kWorkloads{&workloads::mst};
};

} // namespace nestbed::inline NESTBED_BACKEND
