// Patterns of irregular code over graphs, of the kinds that the Indigo suite has: what is done for a vertex, by a thread,
// a warp or a block each, or by threads that stay and take several vertices, with and without a bug.
#pragma once

#include "labelled.h"

enum class Way { kThread, kWarp, kBlock, kPersistent };

struct Graph {
    int vertices;
    const int* first; // of vertex v: its edges are first[v] to first[v + 1] - 1
    const int* ends;  // of the edges
};

struct HostGraph {
    std::vector<int> first{0}, ends, values; // a value for each vertex
    int vertices() const { return static_cast<int>(values.size()); }
    int edges() const { return static_cast<int>(ends.size()); }
};

constexpr int kVertices[] = {42, 14, 6, 42}, kThreads[] = {32, 64, 64, 8}, kPerBlock[] = {32, 2, 1, 8};

// About 220 edges. One vertex has none, and one has edges to all. Vertex 0 has a small value.
inline HostGraph graph_for(Way way, int seed)
{
    Numbers numbers(seed);
    HostGraph graph;
    const int vertices = kVertices[static_cast<int>(way)];
    for (int v = 0; v < vertices; ++v) {
        const int degree = v == vertices - 2 ? vertices : v == 3 ? 0 : 240 / vertices + numbers(3);
        for (int i = 0; i < degree; ++i)
            graph.ends.push_back(v == vertices - 2 ? i : numbers(vertices));
        graph.first.push_back(graph.edges());
        graph.values.push_back(v == 0 ? 7 : 100 + numbers(900));
    }
    return graph;
}

// The thread's number among those that share a vertex, and how many they are.
template <Way way>
__device__ int rank()
{
    return way == Way::kWarp ? threadIdx.x % 32 : way == Way::kBlock ? threadIdx.x : 0;
}

template <Way way>
__device__ int group_size()
{
    return way == Way::kWarp ? 32 : way == Way::kBlock ? blockDim.x : 1;
}

template <Bug bug>
__device__ int warp_sum(int value)
{
    for (int offset = bug == Bug::kLostWork ? 8 : 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFF, value, offset);
    return value;
}

// The sum over the threads that share a vertex, for the first of them.
template <Way way, Bug bug>
__device__ int group_sum(int value)
{
    if constexpr (way == Way::kWarp)
        return warp_sum<bug>(value);
    if constexpr (way == Way::kBlock) {
        __shared__ int of_warps[2];
        value = warp_sum<bug>(value);
        if (threadIdx.x % 32 == 0)
            of_warps[threadIdx.x / 32] = value; // race in missing_barrier
        if constexpr (bug != Bug::kMissingBarrier)
            __syncthreads();
        // race in missing_barrier
        // also uninitialized in missing_barrier
        return threadIdx.x == 0 ? of_warps[0] + of_warps[1] : 0;
    }
    return value;
}

template <class Pattern, Way way, Bug bug>
__global__ void each_vertex(Graph graph, typename Pattern::Data data)
{
    if constexpr (way == Way::kPersistent) {
        const int end = graph.vertices + (bug == Bug::kMissingGuard ? 1 : 0);
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < end; v += gridDim.x * blockDim.x)
            Pattern::template visit<way, bug>(graph, data, v);
    } else {
        const int v = (blockIdx.x * blockDim.x + threadIdx.x) / group_size<way>();
        if (bug == Bug::kMissingGuard || v < graph.vertices)
            Pattern::template visit<way, bug>(graph, data, v);
    }
}

// What comes after all vertices, if Pattern::kHasEnd.
template <class Pattern, Bug bug>
__global__ void finish(typename Pattern::Data data)
{
    Pattern::template finish<bug>(data);
}

template <class Pattern, Way way, Bug bug>
__global__ void start(Graph graph, typename Pattern::Data data)
{
    constexpr int kWay = static_cast<int>(way);
    const int blocks = way == Way::kPersistent ? 2 : graph.vertices / kPerBlock[kWay] + 1;
    each_vertex<Pattern, way, bug><<<blocks, kThreads[kWay]>>>(graph, data);
    if constexpr (Pattern::kHasEnd)
        finish<Pattern, bug><<<1, 1, 0, cudaStreamTailLaunch>>>(data);
}

template <class Pattern, Way way, Bug bug>
bool run_pattern(int seed)
{
    const HostGraph host = graph_for(way, seed);
    const Graph graph{host.vertices(), on_device(host.first), on_device(host.ends)};
    const typename Pattern::Data data = Pattern::template make<bug>(host);
    start<Pattern, way, bug><<<1, 1>>>(graph, data);
    CHECK(cudaDeviceSynchronize());
    return Pattern::is_right(host, data);
}

template <class Pattern, Bug bug, Way... ways>
void add_ways(std::vector<Variant>& variants, const char* shows = "", const char* limit = "")
{
    constexpr const char* kNames[] = {"thread", "warp", "block", "persistent thread"};
    (variants.push_back({std::string(Pattern::kName) + " by " + kNames[static_cast<int>(ways)], bug,
                         run_pattern<Pattern, ways, bug>, shows, limit}),
     ...);
}

// With each of these bugs in all ways.
template <class Pattern, Bug... bugs>
void add(std::vector<Variant>& variants)
{
    (add_ways<Pattern, bugs, Way::kThread, Way::kWarp, Way::kBlock, Way::kPersistent>(variants), ...);
}
