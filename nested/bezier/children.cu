// bezier_children: a child for the points of every line. bezier_unordered: the same without the barrier before the launch.
//
//     root(lines): one thread per line
//         n = the line's number of points, by its curvature
//         if n < threshold: the thread computes the points
//         otherwise: request a child grid with ceil(n / (block * coarsen)) blocks, which computes them
//     child(line): each of its threads computes up to `coarsen` points, as far apart as the child has threads
//
// bezier_children() is the kernel of the root grid and of its children. In all threads of each block, run_grid() calls
// LinePoints::root() (in the root grid) or block() (in a child). It launches a child for the threads whose root() returns true,
// or does the item by process_serially() if it needs fewer than `threshold` threads. By `aggregate` the items of a warp, a block or
// more blocks share one launch: then each thread writes its item to memory, and one thread launches for all, after a barrier of
// these threads (for several blocks: after the last block's arrival at a counter, which is then 0 again). Without `aggregate` no
// barrier is needed: each thread launches its own child, one lane of a warp after another, with the item as an argument.
//
// Launches: one per requested line, or one per group of lines (`aggregate`): by the oracle, because they depend on the
// input.
// Hazards: bezier_children: none. The lines are only read, and only one thread writes each point. Items of a launch are written
// before a barrier (warp, block) or before an arrival with acquire-release order (grid).
// bezier_unordered: RACY, on purpose. A child is guaranteed to see only what the launching thread wrote before the launch.
// The items of the other threads of the block may arrive too late.
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

    // Block `block` of the `blocks` for one line: a thread for every `coarsen` points.
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

// Ordered: run_grid() has the barrier of the block between the items and the launch. `refused`: for run_grid(), the launches of the
// block that the device refused (`overflow`). At most 32 registers per thread.
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

// The root grid has a thread for every line, in waves if its children could not all be pending at once.
template <class S, bool Ordered>
void launch_lines(const BezierJob& job, const RequestSetup<LinePoints>& setup)
{
    launch_waves<S>(job, [&](const auto& wave, auto nest) {
        host_launch<bezier_children<Ordered, decltype(nest)>>(wave, job.point.block, setup.run,
                                                              root_grid(setup.run, wave, job.point.block), nest);
    });
}

struct BezierChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "bezier_children",
        .workload = &workloads::bezier,
        .mechanisms = kMechanisms,
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
        .summary = "bezier_children without the barrier before the launch",
        .hazards = "racy: the child may not see the items that other threads of its parent wrote",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism",
        .axes = {axis::delay},
        .racy = true,
        .requests = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<LinePoints> prepare(const BezierJob& job)
    {
        return set_up_requests<LinePoints>(job, job.task);
    }

    static void run(const BezierJob& job, const RequestSetup<LinePoints>& setup)
    {
        launch_lines<BezierUnordered, false>(job, setup);
    }
};

const Register<BezierChildren, BezierRoom> bezier_children_strategy;
const Register<BezierUnordered, BezierRoom> bezier_unordered_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
