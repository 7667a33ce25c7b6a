// quadtree_children: a quadtree by divisions into many parts; a child for every part, which one block finishes if it can.
// quadtree_graph: the same divisions by a device graph that launches itself again. CUDA only.
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
//     node: the blocks share the items of the level, as above, and collect the next ones; the last block to finish launches the
//         graph again if there are any
//
// Launches: quadtree_graph: one per level below the root. The host makes the first launch.
// quadtree_children: two per divided part and one per leaf; fewer with `aggregate`: one per level with `grid`. By the oracle,
// because they depend on the input, but not on the order of execution: parts are ranges of codes.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. The order of the list of nodes depends on the order of execution; the nodes do not. Points with
// equal codes are sorted by their places in the input. A graph that launches itself runs again only when its current run is
// complete.
// Source: Samet, "The Quadtree and Related Hierarchical Data Structures", ACM Computing Surveys 1984; the divisions are
// those of quick_kway. CUDA C++ Programming Guide, "Device Graph Launch", "Device Self-Relaunch".
#include "workloads/quadtree/quadtree_parts.hpp"

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

using QuadGrid = ChildGrid<QuadItem>;

// What the runs of the graph of quadtree_graph share: the levels with even and with odd numbers.
struct QuadGraphState {
    QuadGrid grid[2];
    unsigned level;
    unsigned arrived;
};

#ifdef __CUDACC__
// At most 64 registers per thread.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads, 1)
    quadtree_graph(const __grid_constant__ RequestRun<QuadParts> run, QuadGraphState* state, Nest nest)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    const unsigned long long now = nest.now();
    const unsigned level = state->level;
    const Nest here = nest.at(level);
    const auto scope = here.enter(now);
    const QuadGrid grid = state->grid[level % 2];
    QuadGrid* next = &state->grid[(level + 1) % 2];
    for (unsigned block = blockIdx.x; block < grid.blocks; block += gridDim.x)
        run_block(run, grid, block, KeepSink<QuadItem>{next}, words);
    __syncthreads();
    if (threadIdx.x == 0 && arrives_last(&state->arrived, gridDim.x)) {
        state->grid[level % 2].blocks = 0;
        state->level = level + 1;
        if (next->blocks != 0)
            launch_graph_again(here);
    }
}
#endif

struct QuadtreeChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "quadtree_children",
        .workload = &workloads::quadtree,
        .mechanisms = kMechanisms,
        .summary = "a child for every part of a divided range of points; one block finishes what it can hold",
        .hazards = "none: the last block to arrive launches",
        .source = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
        .offers = true,
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
        .mechanisms = kOnly<Mechanism::graph_tail>,
        .summary = "a device graph of one level of parts that launches itself again",
        .hazards = "none: the graph runs again only when its current run is complete",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .cuda_only = true,
        .offers = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

#ifdef __CUDACC__
    struct Prepared {
        RequestSetup<QuadParts> setup;
        Buffer<QuadGraphState> state;
        Graph graph;
    };

    static Prepared prepare(const QuadJob& job)
    {
        RequestSetup<QuadParts> setup = set_up_requests<QuadParts>(job, job.task);
        auto state = job.context.allocate<QuadGraphState>(1);
        QuadGraphState start{};
        start.grid[0] = root_grid(setup.run, {.blocks = job.roots}, job.point.block);
        job.context.upload(state, std::span<const QuadGraphState>(&start, 1));
        Graph graph = job.context.capture(true, [&] {
            with_nest<Mechanism::graph_tail>(job, 0, [&](auto nest) {
                const std::uint32_t blocks =
                    job.context.resident_blocks<quadtree_graph<decltype(nest)>>(job.point.block);
                host_launch<quadtree_graph<decltype(nest)>>(job.context, 0, {blocks, job.point.block}, setup.run,
                                                            state.data(), nest);
            });
        });
        return {std::move(setup), std::move(state), std::move(graph)};
    }

    static void run(const QuadJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.graph);
    }
#endif
};

const Register<QuadtreeChildren, QuadtreeRoom> quadtree_children_strategy;
const Register<QuadtreeGraph, QuadtreeRoom> quadtree_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
