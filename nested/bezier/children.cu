// bezier_children: a child for the points of every line. bezier_unordered: the same without the barrier before the launch. Without it
// there is a race if items of several warps share a launch (`aggregate` of a block or more).
//
//     root(lines): one thread per line
//         n = the line's number of points, by its curvature: as many threads as it needs
//         if n < threshold: the thread computes the points
//         otherwise: request a child grid with ceil(n / (block * coarsen)) blocks, which computes them
//     child(line): each of its threads computes up to `coarsen` points, as far apart as the child has threads
//
// bezier_children() is the kernel of the root grid and of its children. In all threads of each block, run_grid() calls
// LinePoints::root() (in the root grid) or block() (in a child). It launches a child for the threads whose root() returns true,
// or does the item by process_serially() if it needs fewer than `threshold` threads. By `aggregate` the items of a warp, a block or
// more blocks share one launch. Then the threads add up how many blocks their items need (a scan, whose barriers come before the items
// and do not order them), each writes its item to memory, and one thread launches for all, after a barrier of these threads. For
// several blocks thread 0 of each arrives at a counter after that barrier, and the last block launches; the counter is then 0 again.
// Without `aggregate` no barrier is needed: each thread launches its own child, one lane of a warp after another, with the item as an argument.
//
// Launches: one per requested line, or one per group of lines (`aggregate`). They depend on the input: the oracle counts them on
// the host before the run.
// Hazards: bezier_children: none. The lines are only read, and only one thread writes each point. Items of a launch are written
// before a barrier (warp, block) or before an arrival with acquire-release order (several blocks).
// bezier_unordered: RACY, on purpose. A child is guaranteed to see what its launching thread wrote before the launch, and what was
// ordered before that, as by a barrier. Nothing orders the items of the other warps of the block (or of the other blocks): they
// may arrive after the launch, and then the child draws the item that was there before: no points, as prepare() has set all to 0.
// Source: NVIDIA cuda-samples, cdpBezierTessellation; KLAP, MICRO 2016, benchmark BT; CUDA C++ Programming Guide, "Dynamic
// Parallelism", memory coherence and consistency.
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of the root grid and of its children do.
struct LinePoints {
    struct Item {
        unsigned line, points;
    };
    using Job = BezierTask;
    static constexpr bool kRecursive = false; // children request nothing

    static unsigned max_requests(const Case& point) { return point.block; }
    __device__ static unsigned threads(const BezierTask& /*task*/, const Item& item) { return item.points; }

    // One thread per line, which requests its points.
    __device__ static bool root(const BezierTask& task, unsigned block, Item& child)
    {
        const unsigned line = block * blockDim.x + threadIdx.x;
        if (line >= task.line_count)
            return false;
        child = {line, bezier_points(task.lines[line], task.max_points)};
        return true;
    }

    // Block `block` of the `blocks` for one line: its threads share the points, up to `coarsen` each.
    __device__ static bool block(const BezierTask& task, const Item& item, unsigned block, unsigned blocks,
                                 Item& /*child*/)
    {
        const BezierLine line = task.lines[item.line];
        for (unsigned index = block * blockDim.x + threadIdx.x; index < item.points; index += blocks * blockDim.x)
            task.out[line.first + index] = bezier_point(line, index, item.points);
        return false;
    }

    // One thread does all points of a line.
    __device__ static void process_serially(const BezierTask& task, const Item& item)
    {
        const BezierLine line = task.lines[item.line];
        for (unsigned index = 0; index < item.points; ++index)
            task.out[line.first + index] = bezier_point(line, index, item.points);
    }
};

// Ordered: run_grid() has the barrier of the block between the items and the launch. `refused`: for run_grid(), the head of the list
// of the grids that the device refused to this block (`overflow`). No shared words: nullptr. At most 32 registers per thread.
template <bool Ordered, class Nest>
__global__ void LAUNCH_BOUNDS(1024, 2)
    bezier_children(const __grid_constant__ RequestRun<LinePoints> run,
                    const __grid_constant__ ChildGrid<LinePoints::Item> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    run_grid<bezier_children<Ordered, Nest>, Ordered>(
        run, grid, nest, refused, nullptr, [&](const Nest& parent, const ChildGrid<LinePoints::Item>& child) {
            return launch<bezier_children<Ordered, Nest>>(parent, {child.blocks, blockDim.x}, run, child);
        });
}

// The root grid has a thread for every line. With `overflow = waves` it is launched in parts, so that at most three quarters of the
// device's limit on pending launches can be taken at once; a launch for items of several blocks of the root grid allows no parts.
template <class S, bool Ordered>
void launch_lines(const BezierJob& job, const RequestSetup<LinePoints>& setup)
{
    launch_waves<S>(job, [&](const auto& wave, auto nest) {
        host_launch<bezier_children<Ordered, decltype(nest)>>(wave, job.point.block, setup.run,
                                                              root_grid(setup.run, wave, job.point.block), nest);
    });
}

struct BezierChildren {
    static constexpr StrategyInfo info{
        .name = "bezier_children",
        .workload = &workloads::bezier,
        .mechanisms = kChildrenByKernel,
        .summary = "a child for the points of every line",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "NVIDIA cuda-samples, cdpBezierTessellation",
        .requests = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<LinePoints> prepare(const BezierJob& job)
    {
        return set_up_requests<LinePoints>(job, job.task);
    }

    static void run(const BezierJob& job, const RequestSetup<LinePoints>& setup)
    {
        launch_lines<BezierChildren, true>(job, setup);
    }
};

struct BezierUnordered {
    static constexpr StrategyInfo info{
        .name = "bezier_unordered",
        .workload = &workloads::bezier,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "bezier_children without the barrier before a launch for a block",
        .hazards = "racy: the child may not see the items that other threads of its parent wrote",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism",
        .axes = {axis::delay}, // of all warps but the first, before they write their items
        .racy = true,
        .requests = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<LinePoints> prepare(const BezierJob& job)
    {
        RequestSetup<LinePoints> setup = set_up_requests<LinePoints>(job, job.task);
        // An item that is read too early is line 0 with no points, not an address outside of the arrays.
        job.context.fill_bytes(setup.buffers.items, 0, setup.buffers.items.size());
        job.context.fill_bytes(setup.buffers.starts, 0, setup.buffers.starts.size());
        return setup;
    }

    static void run(const BezierJob& job, const RequestSetup<LinePoints>& setup)
    {
        launch_lines<BezierUnordered, false>(job, setup);
    }
};

const Register<BezierChildren, BezierTraits> bezier_children_strategy;
const Register<BezierUnordered, BezierTraits> bezier_unordered_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
