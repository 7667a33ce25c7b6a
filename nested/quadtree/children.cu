// quadtree_children: a quadtree by divisions into many parts; a child for every part, which one block finishes if it can.
// quadtree_graph: the same divisions by a graph of one node that runs again: a device graph that launches itself (graph_tail), or the
// body of a WHILE node (graph_while). CUDA only.
//
//     count(part): as many blocks as it has points for
//         count the points of each of up to 1024 parts (the next bits of the Morton code; at most one for each thread of
//         a block); the last block: if all are in one part, list the nodes skipped and launch count() of what is left
//         otherwise: launch scatter(part)
//     scatter(part): move the points to their parts
//         the last block: list the nodes of all levels in between, by sums of the counts
//         for each part: launch count(), or leaf() if a block can hold it
//     leaf(part): one block sorts it in shared memory, and lists all nodes in it by binary search
//
// quadtree_graph, once, untimed: a graph of one node with as many blocks as the device holds
//     node: the blocks share the items of the level, as above, and collect the next ones; the last block to finish lets the
//         graph run again if there are any
//
// Launches: quadtree_graph: graph_tail: one per level below the root; graph_while: none. The host makes the first launch.
// quadtree_children: two per divided part and one per leaf; fewer with `aggregate`: one per level with `grid`. By the oracle,
// because they depend on the input, but not on the order of execution: parts are ranges of codes.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. The order of the list of nodes depends on the order of execution; the nodes do not. Points with
// equal codes are sorted by their places in the input. The graph, or the body, runs again only when its current run
// is complete.
// Source: Samet, "The Quadtree and Related Hierarchical Data Structures", ACM Computing Surveys 1984; the divisions are
// those of quick_kway. CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch", "Conditional
// Graph Nodes".
// Compiled alone: it takes longest.
#include "workloads/quadtree/quadtree_parts.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of a grid do, and what they request.
struct QuadParts : QuadRecursion {
    __device__ static bool root(const QuadTask& task, unsigned block, QuadItem& child, unsigned* words)
    {
        if (block == 0 && threadIdx.x == 0)
            task.put(atomicAdd(task.node_count, 1U), {0, 0, 0, task.count});
        return QuadParts::block(task, all_points(task), block, task.root_blocks, child, words);
    }

    __device__ static bool block(const QuadTask& task, const QuadItem& item, unsigned block, unsigned blocks,
                                 QuadItem& child, unsigned* words)
    {
        return quad_step(
            task, item, block, blocks, words,
            [&](const QuadPart& narrow) { // count() of what is left
                if (threadIdx.x != 0)
                    return false;
                list_chain(task, item.part, narrow);
                return request(task, narrow, child);
            },
            [&] { // scatter() of the same part
                child = {item.part, item.division, QuadStep::scatter};
                return threadIdx.x == 0;
            },
            [&](const QuadDigits& digits, const QuadDivision& division) { // thread t, for part t: count() or leaf()
                return request_parts(task, item.part, digits, division, words, child);
            });
    }
};

// The kernel of every grid of quadtree_children. run_grid() calls QuadParts::block() in all threads of a block (at the root: root()), and
// launches a grid for the threads that return true, which have put a part into their item.
// At most 64 registers per thread.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads, 1)
    quadtree_children(const __grid_constant__ RequestRun<QuadParts> run,
                      const __grid_constant__ ChildGrid<QuadItem> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_grid<quadtree_children<Nest>>(run, grid, nest, refused, words, [&](const Nest& parent, const auto& child) {
        return launch<quadtree_children<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
    });
}

#ifdef __CUDACC__
// At most 64 registers per thread.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads, 1)
    quadtree_graph(const __grid_constant__ RequestRun<QuadParts> run, RequestLevels<QuadItem>* levels, Nest nest)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_level(run, levels, nest, words);
}
#endif

struct QuadtreeChildren {
    static constexpr StrategyInfo info{
        .name = "quadtree_children",
        .workload = &workloads::quadtree,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for every part of a divided range of points; one block finishes what it can hold",
        .hazards = "none: the last block to arrive launches",
        .source = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
        .requests = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<QuadParts> prepare(const QuadJob& job) { return set_up_requests<QuadParts>(job, job.task); }

    static void run(const QuadJob& job, const RequestSetup<QuadParts>& setup)
    {
        launch_waves<QuadtreeChildren>(job, [&](auto wave, auto nest) {
            wave.blocks = job.roots; // one wave: all blocks of the root grid process one item, all points
            host_launch<quadtree_children<decltype(nest)>>(wave, job.point.block, setup.run,
                                                           root_grid(setup.run, wave, job.point.block), nest);
        });
    }
};

struct QuadtreeGraph {
    static constexpr StrategyInfo info{
        .name = "quadtree_graph",
        .workload = &workloads::quadtree,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of one level of parts that runs again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
        .requests = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    struct Prepared {
        RequestSetup<QuadParts> setup;
        RequestGraph<QuadItem> levels;
    };

    static Prepared prepare(const QuadJob& job)
    {
        RequestSetup<QuadParts> setup = set_up_requests<QuadParts>(job, job.task);
        auto levels = request_graph(job, setup.run, [](auto nest) { return quadtree_graph<decltype(nest)>; });
        return {std::move(setup), std::move(levels)};
    }

    static void run(const QuadJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.levels.graph);
    }
#endif
};

const Register<QuadtreeChildren, QuadtreeTraits> quadtree_children_strategy;
const Register<QuadtreeGraph, QuadtreeTraits> quadtree_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
