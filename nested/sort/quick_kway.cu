// quick_kway: quicksort into many parts; a child for every part that is still too long, and for every leaf.
// sort_graph: the same steps, one level per run of a graph of one node: a device graph that launches itself (graph_tail), or the body of
// a WHILE node (graph_while). CUDA only.
//
//     root: all keys, by the root grid: leaf() if there are at most `grain`, otherwise count()
//     count(part): ceil(keys / (8 * block * coarsen)) blocks
//         parts = ranges of values, of equal width: by the next bits of the key. A power of two of them, at most `fanout`, fewer
//             for a short part
//         count the keys of each part; the last block:
//             all keys are equal: launch copy(part), or nothing if they are in the output
//             all are in one part: launch count() of the range of values that occur, which divides them
//             otherwise: launch scatter(part)
//     scatter(part): as many blocks as count(); they move the keys, and their values if there are any, to their parts
//         the last block, for each part: launch count(), leaf() if it has at most `grain` keys, or, if its keys are all equal
//         (one key, or no bits left), copy(), or nothing if they are in the output
//     leaf(part): one block sorts it into the output (by distribution in shared memory, or by a network)
//     copy(part): as many blocks as count(); they copy it to the output
//
// quick_kway() is the kernel of every step and every grid, also of the root grid. run_grid() calls KwayParts::block() (at the
// root: root()) in all threads of each block, and launches quick_kway() for the threads that return true: they have put
// into `child` what the child grid is to do.
//     `aggregate = none`: each such thread launches a grid for its item, one lane of a warp after another
//     otherwise (warp, block, grid): the threads write their items to memory. After a barrier of the warp or of the block (grid:
//         an arrival at a counter with acquire-release order) one thread launches one grid for all these items
//     `threshold`: an item of fewer threads, each for 8 keys, is not launched: the requesting thread sorts all of it
//     `depth`: so is every item below this level of nesting
//     sort_graph, before each run, untimed: a graph of one node with as many blocks as the device holds
//         node: the blocks share the items of a level; the last block to finish makes what they request the next level, and lets the graph
//         run again if there is any
//     `overflow`: what becomes of a launch that the device refuses. `inline`: the block does it itself, block after block of the
//         refused grid, and launches what those request. `spill`: a tail launch does it. `fail`, and `waves` (which can part no
//         root grid of one item): it is lost, and the row of the log says so
//
// Launches: two per divided part (the root grid is the count() of all keys), one more each time that a range is narrowed, and one per
// leaf and copy; fewer with `aggregate`: one per level of nesting with `grid`. They depend on the input, but not on the order of
// execution, since parts are ranges of values: so the oracle counts them on the host before the run. sort_graph: graph_tail: one per
// level below the root; graph_while: none.
// Hazards: none. A child sees what its launching thread wrote, and what was ordered before its launch: the last block arrives
// with acquire-release order at the part's counter, so it and its children see what all blocks wrote. Keys move from the input
// to the output, from there to a spare array and back, and only one grid uses a part of them. Not stable. No mechanism
// changes that: a child that starts at once finds what it needs, and nobody waits for a child.
// Source: Sedgewick, "Algorithms in C", 3rd ed., section 10.3 (MSD radix sort); CUDA C++ Programming Guide, "Device Graph Launch",
// "Conditional Graph Nodes".
#include "workloads/sort/sort.hpp"
#include "workloads/sort/sort_parts.hpp"

#ifdef __CUDACC__
#include "device/cuda/graph_levels.cuh"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of a grid do, and what they request.
struct KwayParts : SortRecursion {
    static unsigned max_requests(const Case& point) { return point[SortParameter::fanout]; }

    __device__ static bool root(const SortTask& task, unsigned block, SortItem& child, unsigned* words)
    {
        return KwayParts::block(task, all_keys(task), block, task.root_blocks, child, words);
    }

    // Block `block` of the `blocks` of an item. sort_step() does the block's share of the work: it counts, moves, sorts or copies
    // keys. Its last action in count() and scatter(): a barrier, thread 0 adds one to the counter of the part, a barrier. Only
    // the last block to arrive goes on (`done` in the others), and the counter is 0 again. `next`: the part for which this thread
    // may request a step.
    // request() puts into `child` the step that a part needs. It returns false if the part needs none: it is empty or in place.
    // For count() it takes the next free node (by atomicAdd): counters of the digits, which the host has set to 0; scatter() of the
    // part uses the same node. There are as many nodes as the oracle counted.
    __device__ static bool block(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                 SortItem& child, unsigned* words)
    {
        SortPart next{};
        switch (sort_step(task, item, block, blocks, next, words)) {
        case SortStepEnd::one_part:
            return threadIdx.x == 0 &&
                   request(task, next, child); // count() of a narrower range; all equal: copy() or none
        case SortStepEnd::counted: // the last block of count(): where parts begin is written, and a barrier followed
            child = {item.part, item.node, SortStep::scatter};
            return threadIdx.x == 0;
        case SortStepEnd::moved:
            return request(task, next, child); // thread t, for part t (fanout <= block): count(), leaf(), copy()
        default:
            return false;
        }
    }
};

// One step of the sort. `refused`: for run_grid(), the head of the list of the grids that the device refused to this block: an index
// plus one, 0 if there is none.
// `words`: shared memory for sort_step(). At most 64 registers per thread, so that a block of 1024 threads fits. run_grid() names
// the kernel for the tail launches of `overflow`; launch() adds the last argument, the child's Nest.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxSortThreads, 1)
    quick_kway(const __grid_constant__ RequestRun<KwayParts> run, const __grid_constant__ ChildGrid<SortItem> grid,
               Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_grid<quick_kway<Nest>>(run, grid, nest, refused, words,
                               [&](const Nest& parent, const ChildGrid<SortItem>& child) {
                                   return launch<quick_kway<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
                               });
}

#ifdef __CUDACC__
// At most 64 registers per thread.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxSortThreads, 1)
    sort_graph(const __grid_constant__ RequestRun<KwayParts> run, RequestLevels<SortItem>* levels, Nest nest)
{
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_level(run, levels, nest, words);
}
#endif

struct QuickKway {
    static constexpr StrategyInfo info{
        .name = "quick_kway",
        .workload = &workloads::sort,
        .mechanisms = kChildrenByKernel,
        .summary = "quicksort into many parts: children count, move and sort them",
        .hazards = "none: the last block to arrive launches; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.3",
        .axes = {SortParameter::grain, SortParameter::fanout},
        .requests = true,
    };
    static constexpr SortForm form = SortForm::kway;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<KwayParts> prepare(const SortJob& job) { return set_up_requests<KwayParts>(job, job.task); }

    static void run(const SortJob& job, const RequestSetup<KwayParts>& setup)
    {
        launch_waves<QuickKway>(job, [&](auto wave, auto nest) {
            // There is one wave, because its blocks process one item, all keys, together: task.root_blocks of them.
            wave.blocks = job.roots;
            host_launch<quick_kway<decltype(nest)>>(wave, job.point.block, setup.run,
                                                    root_grid(setup.run, wave, job.point.block), nest);
        });
    }
};

struct SortGraph {
    static constexpr StrategyInfo info{
        .name = "sort_graph",
        .workload = &workloads::sort,
        .mechanisms = kLevelsByGraph,
        .summary = "a graph of one level of quick_kway that runs again",
        .hazards = "none: the graph runs again only when its current run is complete; not stable",
        .source = "CUDA C++ Programming Guide, Device Graph Launch",
        .axes = {SortParameter::grain, SortParameter::fanout},
        .cuda_only = true,
        .requests = true,
    };
    static constexpr SortForm form = SortForm::kway;

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::of_input() : ExpectedLaunches::none();
    }

#ifdef __CUDACC__
    struct Prepared {
        RequestSetup<KwayParts> setup;
        RequestGraph<SortItem> levels;
    };

    static Prepared prepare(const SortJob& job)
    {
        RequestSetup<KwayParts> setup = set_up_requests<KwayParts>(job, job.task);
        auto levels = request_graph(job, setup.run, [](auto nest) { return sort_graph<decltype(nest)>; });
        return {std::move(setup), std::move(levels)};
    }

    static void run(const SortJob& job, const Prepared& prepared)
    {
        job.context.launch(prepared.levels.graph);
    }
#endif
};

const Register<QuickKway, SortTraits> quick_kway_strategy;
const Register<SortGraph, SortTraits> sort_graph_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
