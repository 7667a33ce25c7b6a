// triangles_children: a child for the edges that lead to a vertex. triangles_edges: a child for the pairs of edges of an edge.
//
//     triangles_children, root(vertices): one thread per vertex v
//         n = edges u -> v with an end of u before v (oriented_graph.hpp), if v has edges too
//         n < threshold: the thread merges the ends of each u before v with those of v
//         otherwise: request a child grid with ceil(n / (block * coarsen)) blocks
//     child(v): each block marks the ends of v in shared memory, a bit each, and takes its part of the edges u -> v: 8 threads
//         look whether the ends of u before v are marked. If v is none of the 65,536 vertices with most edges, it has few,
//         and a thread per edge merges lists
//
//     triangles_edges, root(edges): one thread per edge u -> v
//         n = ends of u before v
//         n < threshold: the thread merges them with the ends of v
//         otherwise: request a child grid with ceil(n / (block * coarsen)) blocks
//     child(u -> v): each thread searches for up to `coarsen` ends of u among those of v
//
// count_children() is the kernel of the root grid and of its children, through run_grid() as in bezier_children.
//
// There is one level of children, whose number the graph decides before the run. So there is no form by device graph or by a WHILE
// node: these start one level after another without the host, and there is no next level.
//
// Launches: one per requested vertex or edge, or one per group of them (`aggregate`): by the oracle.
// Hazards: none. The graph is only read, and counts are added up by atomic functions. Items of a launch are written before a barrier
// (warp, block) or before an arrival with acquire-release order (several blocks).
// Source: Green, Yalamanchili, Munguia, "Fast triangle counting on the GPU", IA3 2014; Bisson, Fatica, "High performance exact
// triangle counting on GPUs", TPDS 2017 (bitmaps).
#include "workloads/triangles/marked_ends.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The edges that lead to a vertex.
struct VertexTriangles {
    struct Item {
        unsigned vertex, edges;
    };
    using Job = TriangleTask;
    static constexpr bool kRecursive = false; // children request nothing
    static constexpr unsigned kSharedWords = MarkedBits::kWords;

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const TriangleTask& /*task*/, const Item& item) { return item.edges; }

    __device__ static bool root(const TriangleTask& task, unsigned block, Item& child, unsigned* /*words*/)
    {
        const unsigned vertex = block * blockDim.x + threadIdx.x;
        if (vertex >= task.vertices)
            return false;
        child = {vertex, task.in_starts[vertex + 1] - task.in_starts[vertex]};
        return child.edges != 0;
    }

    __device__ static bool block(const TriangleTask& task, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/, unsigned* words)
    {
        const unsigned begin = task.in_starts[item.vertex];
        const unsigned end = begin + item.edges;
        unsigned long long found = 0;
        if (MarkedBits::fits(item.vertex)) {
            const VertexList ends = ends_of(task, item.vertex);
            MarkedBits::clear(words, item.vertex); // which leads to none above it
            MarkedBits::mark(words, ends);
            const unsigned groups = blockDim.x / kLanesPerEdge;
            found = count_marked(task, words, begin + block * groups, end, blocks * groups);
            __syncthreads(); // nobody still reads the words
        } else {
            found = count_merged(task, begin + block * blockDim.x, end, blocks * blockDim.x);
        }
        add_count_of_warp(task, item.vertex + block + threadIdx.x / kWarp, found);
        return false;
    }

    __device__ static void process_serially(const TriangleTask& task, const Item& item)
    {
        const VertexList ends = ends_of(task, item.vertex);
        const unsigned begin = task.in_starts[item.vertex];
        unsigned long long found = 0;
        for (unsigned in = begin; in < begin + item.edges; ++in)
            found += merged(ends_before(task, task.in_edges[in]), ends);
        add_count(task, item.vertex, found);
    }
};

// The pairs of an edge and one that its start has before it.
struct EdgeTriangles {
    struct Item {
        unsigned in, pairs;
    };
    using Job = TriangleTask;
    static constexpr bool kRecursive = false;

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const TriangleTask& /*task*/, const Item& item) { return item.pairs; }

    __device__ static bool root(const TriangleTask& task, unsigned block, Item& child)
    {
        const unsigned in = block * blockDim.x + threadIdx.x;
        if (in >= task.in_edge_count)
            return false;
        const InEdge edge = task.in_edges[in];
        child = {in, edge.at - edge.first};
        return true;
    }

    __device__ static bool block(const TriangleTask& task, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/)
    {
        const InEdge edge = task.in_edges[item.in];
        const VertexList ends = ends_of(task, task.ends[edge.at]);
        unsigned long long found = 0;
        for (unsigned at = edge.first + block * blockDim.x + threadIdx.x; at < edge.at; at += blocks * blockDim.x)
            found += has_end(ends, task.ends[at]);
        add_count_of_warp(task, item.in + block + threadIdx.x / kWarp, found);
        return false;
    }

    __device__ static void process_serially(const TriangleTask& task, const Item& item)
    {
        const InEdge edge = task.in_edges[item.in];
        add_count(task, item.in, merged(ends_before(task, edge), ends_of(task, task.ends[edge.at])));
    }
};

template <class E>
inline constexpr unsigned kTriangleWords = 1;
template <>
inline constexpr unsigned kTriangleWords<VertexTriangles> = VertexTriangles::kSharedWords;

template <class E, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 1)
    count_children(const __grid_constant__ RequestRun<E> run,
                   const __grid_constant__ ChildGrid<typename E::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, kTriangleWords<E>);
    run_grid<count_children<E, Nest>>(run, grid, nest, refused, words, [&](const Nest& parent, const auto& child) {
        return launch<count_children<E, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

// The root grid has a thread for every vertex or edge. With `overflow = waves` it is launched in parts, one after another, if its
// children could not all be pending at once.
template <class S, class E>
void launch_roots(const TriangleJob& job, const RequestSetup<E>& setup)
{
    launch_waves<S>(job, [&](const auto& wave, auto nest) {
        host_launch<count_children<E, decltype(nest)>>(wave, job.point.block, setup.run,
                                                       root_grid(setup.run, wave, job.point.block), nest);
    });
}

struct TrianglesChildren {
    static constexpr StrategyInfo info{
        .name = "triangles_children",
        .workload = &workloads::triangles,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for the edges that lead to a vertex, whose own ends it marks in shared memory",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Bisson and Fatica, TPDS 2017, with launches instead of a loop over vertices",
        .requests = true,
        .per_vertex = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<VertexTriangles> prepare(const TriangleJob& job)
    {
        return set_up_requests<VertexTriangles>(job, job.task);
    }
    static void run(const TriangleJob& job, const RequestSetup<VertexTriangles>& setup)
    {
        launch_roots<TrianglesChildren>(job, setup);
    }
};

struct TrianglesEdges {
    static constexpr StrategyInfo info{
        .name = "triangles_edges",
        .workload = &workloads::triangles,
        .mechanisms = kChildrenByKernel,
        .summary =
            "a child for the pairs of edges of an edge, for which it searches among the ends of another vertex",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Green et al., IA3 2014, with launches instead of threads per edge",
        .requests = true,
    };
    static constexpr bool per_edge = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<EdgeTriangles> prepare(const TriangleJob& job)
    {
        return set_up_requests<EdgeTriangles>(job, job.task);
    }
    static void run(const TriangleJob& job, const RequestSetup<EdgeTriangles>& setup)
    {
        launch_roots<TrianglesEdges>(job, setup);
    }
};

const Register<TrianglesChildren, TriangleTraits> triangles_children;
const Register<TrianglesEdges, TriangleTraits> triangles_edges;

} // namespace nestbed::inline NESTBED_BACKEND
